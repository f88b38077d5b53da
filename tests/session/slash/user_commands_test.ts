import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { namesIn } from "../../support/files.ts";
import { type Ground, onGround } from "../guidance/guidance_rig.ts";

const AGENTS = "home/repo/.agents/commands";
const OWN = "home/.config/dsh-acp/commands";

const listed = async (ground: Ground, cwd?: string, roots?: readonly string[]) =>
  (await ground.commands(cwd, roots)).prompts.map(({ name, description }) => `${name}: ${description}`);
/** What the model reads for `/name args`; undefined where there is no such command. */
const textOf = async (ground: Ground, name: string, args = "") =>
  await (await ground.commands()).prompts.find((c) => c.name === name)?.text(args);

Deno.test("a command's file has a description, a hint and a text", () =>
  onGround(async (ground) => {
    const head =
      `---\r\ndescription: >-\r\n  Looks at\r\n  a change\r\nargument-hint: [number] [depth]\r\n---\r\n`;
    await ground.write(`${AGENTS}/review.md`, `${head}\r\nReview $1.\r\n`);
    await ground.write(
      `${AGENTS}/quoted.md`,
      `---\nargument-hint: "a: b"\nallowed-tools: Bash(git:*)\n---\nX`,
    );
    await ground.write(`${AGENTS}/bare.md`, "\n# Say hello\n\nTo everybody.\n");
    const { prompts, faults } = await ground.commands();
    assertEquals(prompts.map(({ name, description, hint }) => [name, description, hint]), [
      ["bare", "(workspace) Say hello", undefined],
      ["quoted", "(workspace) X", "a: b"],
      ["review", "(workspace) Looks at a change", "[number] [depth]"],
    ]);
    assertEquals(faults, []);
    assertEquals(await textOf(ground, "review", "7"), "Review 7.");
    assertEquals(await textOf(ground, "bare"), "# Say hello\n\nTo everybody.");
  }));

Deno.test("of two commands with one name this program's counts, then the user's, then the nearest", () =>
  onGround(async (ground) => {
    await ground.write(`${OWN}/mine.md`, "user");
    await ground.write(`${OWN}/model.md`, "not the models");
    await ground.write(`${AGENTS}/mine.md`, "repository");
    await ground.write(`${AGENTS}/far.md`, "root");
    await ground.write("home/repo/a/.agents/commands/far.md", "nearest");
    await ground.write("home/repo/a/.claude/commands/unseen.md", "beside .agents");
    await ground.write("home/repo/a/b/.claude/commands/near.md", "b");
    await ground.write("other/.agents/commands/near.md", "of a further root");
    await ground.write("other/.agents/commands/further.md", "of a further root");
    assertEquals(await listed(ground, join(ground.repo, "a", "b"), [join(ground.root, "other")]), [
      "mine: user",
      "near: (workspace) b",
      "far: (workspace) nearest",
      "further: (workspace) of a further root",
    ]);
    const { local, faults } = await ground.commands();
    assertEquals(local.filter((c) => c.name === "model").length, 1);
    assertMatch(faults.join(), /^[^,]*\/model\.md: \/model is a command of this program$/);
  }));

Deno.test("a command's text runs nothing and brings no file along", () =>
  onGround(async (ground) => {
    const file = await ground.write("home/repo/secret.txt", "the secret");
    const text = `!\`touch ${ground.repo}/ran\` and @${file} and @secret.txt $(touch ran)`;
    await ground.write(`${AGENTS}/try.md`, text);
    assertEquals(await textOf(ground, "try"), text);
    assertEquals(namesIn(ground.repo).includes("ran"), false);
  }));

Deno.test("what is no name of a command is none", () =>
  onGround(async (ground) => {
    const names = [
      "README.md",
      "a b.md",
      ".md",
      "-x.md",
      "a.txt",
      "a.b.md",
      "ü.md",
      "a`b.md",
      "x".repeat(65) + ".md",
    ];
    for (const name of [...names, "sub/inner.md", "dir.md/file.md", "fine-1_x.md"]) {
      await ground.write(`${AGENTS}/${name}`, "text");
    }
    assertEquals(await listed(ground), ["fine-1_x: (workspace) text"]);
    assertEquals((await ground.commands()).faults, []);
  }));

Deno.test("a command that cannot be used is left out, and said", async (t) => {
  const cases: Record<string, [text: string | Uint8Array, fault: RegExp]> = {
    "no YAML": ["---\ndescription: Use when: now\n---\nText", /is no YAML/],
    "aliases, which could explode": ["---\na: &a y\ndescription: *a\n---\nText", /is no YAML: .*Alias/],
    "nothing in it": ["---\ndescription: x\n---\n \n", /no text/],
    "an empty file": ["", /no text/],
    "too large": ["x".repeat(32 * 1024 + 1), /larger than 32 KiB/],
  };
  for (const [name, [text, fault]] of Object.entries(cases)) {
    await t.step(name, () =>
      onGround(async (ground) => {
        await ground.write(`${AGENTS}/bad.md`, text);
        await ground.write(`${AGENTS}/good.md`, "fine");
        const { faults } = await ground.commands();
        assertEquals(await listed(ground), ["good: (workspace) fine"]);
        assertEquals(faults.length, 1);
        assertMatch(faults[0]!, fault);
      }));
  }
});

Deno.test("a command with odd bytes and words is still one line of a list", () =>
  onGround(async (ground) => {
    await ground.write(`${AGENTS}/bytes.md`, new Uint8Array([0x61, 0xff, 0x1b, 0x5b, 0x62]));
    await ground.write(`${AGENTS}/lists.md`, "---\ndescription: [a]\nargument-hint:\n---\nText");
    await ground.write(`${AGENTS}/long.md`, `---\ndescription: ${"x".repeat(5000)}\n---\nText`);
    await ground.write(`${AGENTS}/proto.md`, `---\n__proto__: {description: p}\n---\nText`);
    await ground.write(`${AGENTS}/turned.md`, `---\ndescription: "a\\u202eb\\nc"\n---\nText`);
    assertEquals(await listed(ground), [
      "bytes: (workspace) a\ufffd [b",
      "lists: (workspace) Text",
      `long: (workspace) ${"x".repeat(200)}…`,
      "proto: (workspace) Text",
      "turned: (workspace) a b c",
    ]);
  }));

Deno.test("links out of the repository, FIFOs and directories are no commands", () =>
  onGround(async (ground) => {
    const outside = await ground.write("elsewhere/planted.md", "planted");
    await ground.write("home/repo/shared/inside.md", "fine");
    await ground.write(`${AGENTS}/own.md`, "own");
    const commands = join(ground.root, AGENTS);
    await Deno.symlink(outside, join(commands, "linked.md"));
    await Deno.symlink("loop.md", join(commands, "loop.md"));
    await Deno.symlink("../../shared/inside.md", join(commands, "inside.md"));
    await Deno.mkdir(join(commands, "directory.md"));
    await new Deno.Command("mkfifo", { args: [join(commands, "fifo.md")] }).output();
    assertEquals(await listed(ground), ["inside: (workspace) fine", "own: (workspace) own"]);
    await Deno.mkdir(join(ground.repo, "a", ".agents"), { recursive: true });
    await Deno.symlink(join(ground.root, "elsewhere"), join(ground.repo, "a", ".agents", "commands"));
    assertEquals((await listed(ground, join(ground.repo, "a"))).length, 2);
  }));

Deno.test("the user's own commands may be links to where they keep them", () =>
  onGround(async (ground) => {
    const kept = await ground.write("home/dotfiles/hi.md", "hi");
    await Deno.mkdir(join(ground.root, OWN), { recursive: true });
    await Deno.symlink(kept, join(ground.root, OWN, "hi.md"));
    assertEquals(await listed(ground), ["hi: hi"]);
  }));

Deno.test("the number of commands is bounded, and what is left out is said", () =>
  onGround(async (ground) => {
    for (let i = 0; i < 102; i++) await ground.write(`${AGENTS}/c${i}.md`, "text");
    const { prompts, faults } = await ground.commands();
    assertEquals([prompts.length, faults.length], [100, 2]);
    assertMatch(faults[0]!, /more than 100 commands/);
  }));
