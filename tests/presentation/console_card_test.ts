import { assert, assertEquals } from "@std/assert";
import { ConsoleCard } from "../../src/presentation/console_card.ts";

Deno.test("a short output is followed piece by piece", () => {
  const card = new ConsoleCard();
  assertEquals([card.push("1\n"), card.push("2\n"), card.push("3\n")], [true, true, true]);
  assertEquals(card.text(), "```console\n1\n2\n3\n```");
});

Deno.test("the re-sends of a long output stay within twice its size", () => {
  for (const piece of [100, 1000, 10_000]) {
    const card = new ConsoleCard();
    let output = 0;
    let sent = 0;
    for (let i = 0; i < 500; i++) {
      output += piece;
      if (card.push("x".repeat(piece))) sent += Math.min(output, card.text().length);
    }
    assert(sent + card.text().length <= 2 * output + 8192, `${sent} sent for ${output}`);
  }
});
