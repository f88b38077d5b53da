import { assertEquals, assertThrows } from "@std/assert";
import { FetchError, readAddress } from "../../../src/tool/fetch/fetch_url.ts";
import { fetch } from "../../../src/tool/fetch/fetch.ts";

Deno.test("readAddress() spells a URL as it will be sent", () => {
  const table: [given: string, sent: string][] = [
    ["HTTPS://Example.ORG", "https://example.org/"],
    ["http://example.org:80/a#b", "http://example.org/a"],
    ["https://example.org./", "https://example.org/"],
    ["https://ex\u0430mple.org/", "https://xn--exmple-4nf.org/"],
    ["https://example.org\\@evil.test/", "https://example.org/@evil.test/"],
    ["https://example.org/\u202Egpj", "https://example.org/%E2%80%AEgpj"],
    ["https://example.org/?q=\u200b", "https://example.org/?q=%E2%80%8B"],
    ["https://exa\tmple.org/\n", "https://example.org/"],
    ["https://127.0.0.1../", "https://127.0.0.1/"],
    ["https://example.org/?\\", "https://example.org/?%5C"],
  ];
  for (const [given, sent] of table) assertEquals(readAddress(given).href, sent);
});

Deno.test("readAddress() refuses what is not to be fetched, and says why", () => {
  const table: [given: string, why: string][] = [
    ["example.org", "no URL"],
    ["//example.org", "no URL"],
    ["http://", "no URL"],
    ["javascript:alert(1)", "Only http and https"],
    ["data:text/html,x", "Only http and https"],
    ["file:///etc/passwd", "Only http and https"],
    ["https://example.org@evil.test/", "user name"],
    ["https://:p@evil.test/", "user name"],
    ["https://example..org/", "empty"],
    ["https://example.org../", "empty"],
    ["https://./", "empty"],
    [`https://example.org/${"a".repeat(3000)}`, "more than 2048"],
    [`https://${"a.".repeat(200)}org/`, "longer than any name"],
  ];
  for (const [given, why] of table) assertThrows(() => readAddress(given), FetchError, why, given);
});

Deno.test("a card's title shows no character that misleads", () => {
  const title = (url: string) => fetch.presentCall!({ url }, { cwd: "/w" }).title;
  assertEquals(title("https://ex\u0430mple.org/\u202Ex"), "Fetch `https://xn--exmple-4nf.org/%E2%80%AEx`");
  assertEquals(title("no\u202E url"), "Fetch `no\\u{202e} url`");
  assertEquals(title("https://a.test/?`x`"), "Fetch ``https://a.test/?`x` ``".replace("``https", "`` https"));
});
