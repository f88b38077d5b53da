import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { Snapshots } from "../../../src/session/undo/snapshots.ts";
import { namesIn } from "../../support/files.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const KIB = 1024;

/** Snapshots in a folder of their own; `anew` gives what a next process sees of it. */
async function inFolder(
  body: (place: { dir: string; anew: () => Snapshots }) => Promise<void>,
  session = 10 * KIB,
): Promise<void> {
  const root = await Deno.makeTempDir();
  const dir = join(root, "snapshots", "s1");
  try {
    await body({ dir, anew: () => new Snapshots(() => dir, { file: 4 * KIB, session }) });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("Snapshots keep a content once for a turn, and give it back", () =>
  inFolder(async ({ dir, anew }) => {
    const snapshots = anew();
    const hash = await snapshots.keep("turn_1", bytes("one"));
    assertEquals(await snapshots.keep("turn_1", bytes("one")), hash);
    assertEquals(await snapshots.keep("turn_2", bytes("one")), hash);
    assertEquals(namesIn(join(dir, "turn_1")), [hash]);
    assertEquals(await anew().read("turn_1", hash), bytes("one"));
    assertEquals(await anew().read("turn_3", hash), undefined);
    await snapshots.forget("turn_1");
    assertEquals([namesIn(dir), await snapshots.read("turn_1", hash)], [["turn_2"], undefined]);
  }));

Deno.test("Snapshots let no other content pass for what was kept, and no id for a path", () =>
  inFolder(async ({ dir, anew }) => {
    const hash = await anew().keep("turn_1", bytes("one"));
    await Deno.writeTextFile(join(dir, "turn_1", hash), "two");
    assertEquals(await anew().read("turn_1", hash), undefined);
    await Deno.writeTextFile(join(dir, "..", "other"), "x");
    assertEquals(await anew().read("..", "other"), undefined);
    await assertRejects(() => anew().keep("../turn", bytes("x")), Error, "no id");
  }));

Deno.test("Snapshots drop the oldest turns where there is no room, also those of an earlier process", () =>
  inFolder(async ({ dir, anew }) => {
    const content = (n: number) => new Uint8Array(4 * KIB).fill(n);
    const first = anew();
    await first.keep("turn_1", content(1));
    await first.keep("turn_2", content(2));
    await Deno.utime(join(dir, "turn_1"), 2, 2);
    await Deno.utime(join(dir, "turn_2"), 1, 1);
    const next = anew();
    await next.keep("turn_3", content(3));
    assertEquals(namesIn(dir), ["turn_1", "turn_3"]);
    await next.keep("turn_3", content(4));
    assertEquals(namesIn(dir), ["turn_3"]);
    await assertRejects(() => next.keep("turn_3", content(5)), Error, "were changed in one turn");
    assertEquals(namesIn(join(dir, "turn_3")).length, 2);
    await next.keep("turn_4", content(6));
    assertEquals(namesIn(dir), ["turn_4"]);
  }));

Deno.test("Snapshots refuse what is too large, and leave no half of what cannot be written", () =>
  inFolder(async ({ dir, anew }) => {
    await assertRejects(() => anew().keep("turn_1", new Uint8Array(4 * KIB + 1)), Error, "it had more than");
    await Deno.mkdir(join(dir, ".."), { recursive: true });
    await Deno.writeTextFile(dir, "in the way");
    await assertRejects(() => anew().keep("turn_1", bytes("x")));
    await Deno.remove(dir);
    const snapshots = anew();
    const hash = await snapshots.keep("turn_1", bytes("x"));
    assert(await snapshots.read("turn_1", hash), "it works again when the cause is gone");
  }));
