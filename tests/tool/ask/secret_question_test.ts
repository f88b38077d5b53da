import { assertEquals } from "@std/assert";
import { asksForSecret } from "../../../src/tool/ask/secret_question.ts";

const SECRETS = [
  "What is your OpenAI API key?",
  "Please paste the API_KEY here.",
  "Enter the database password for production",
  "Could you give me a GitHub token so that I can push?",
  "Provide your AWS secret access key",
  "What's the passphrase of the key, and what is the password?",
  "I found a problem.\nTell me your login credentials.",
  "I need your npm token",
  "Password:",
  "Your API key?",
  "Send me the one-time code; type the verification code.",
  "Please share the private key",
];

const OTHERS = [
  "Which password hashing library shall I use?",
  "Where should the API key be stored?",
  "What is the password policy?",
  "Should the login form give a password hint?",
  "How many tokens may a request have?",
  "What is the token budget?",
  "Shall I rename `secret_key` to `signing_key`?",
  "Enter the name of the module that reads credentials.json",
  "Which database should I use?",
  "Rotate the keys?",
  "",
];

Deno.test("a question that asks to type a secret is seen as one", () => {
  for (const text of SECRETS) assertEquals(asksForSecret(text), true, text);
});

Deno.test("a question about secrets is not taken for one", () => {
  for (const text of OTHERS) assertEquals(asksForSecret(text), false, text);
});

Deno.test("a huge question is judged in a moment", () => {
  for (const piece of ["enter ", "enter password policy ", "`", "a\n", "what is your "]) {
    assertEquals(asksForSecret(piece.repeat(50_000)), false);
  }
});
