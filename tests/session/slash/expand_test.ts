import { assert, assertEquals } from "@std/assert";
import { expand } from "../../../src/session/slash/expand.ts";

Deno.test("expand() puts what was typed in its places, letter for letter", () => {
  const cases: [text: string, args: string, expected: string][] = [
    ["Fix $ARGUMENTS now.", "issue 7", "Fix issue 7 now."],
    ["$ARGUMENTS, again: $ARGUMENTS", "a\nb", "a\nb, again: a\nb"],
    ["[$ARGUMENTS]", "$& $1 $` $$ $ARGUMENTS", "[$& $1 $` $$ $ARGUMENTS]"],
    ["$2 before $1", `first "the second"`, "the second before first"],
    ["<$1|$2|$3>", "née 🦀'", "<née|🦀'|>"],
    ["$1", `it's 'one word'`, "it's"],
    ["<$ARGUMENTS>", "", "<>"],
    ["Do it.", "with care", "Do it.\n\nwith care"],
    ["Do it.", "", "Do it."],
    ["costs $10, $0, $ARGUMENTSX and $HOME", "x", "costs $10, $0, $ARGUMENTSX and $HOME\n\nx"],
  ];
  for (const [text, args, expected] of cases) assertEquals(expand(text, args), expected);
});

Deno.test("expand() does not grow without bounds, and still fills the first place", () => {
  const args = "x".repeat(300_000);
  const text = expand("$ARGUMENTS ".repeat(1000), args);
  assert(text.startsWith(`${args} $ARGUMENTS `));
  assertEquals(text.length, args.length + 1000 * "$ARGUMENTS ".length - "$ARGUMENTS".length);
});
