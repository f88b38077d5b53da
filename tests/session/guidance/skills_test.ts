import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { guidanceLine, guidanceText } from "../../../src/session/guidance/guidance_text.ts";
import { type Ground, onGround } from "./guidance_rig.ts";

const head = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n# How\nBody that nobody reads yet.\n`;

const names = async (ground: Ground, cwd?: string) =>
  (await ground.read(cwd)).skills.map(({ name, description }) => `${name}: ${description}`);

Deno.test("skills: the user's first, then the nearest; of two with one name the first counts", () =>
  onGround(async (ground) => {
    await ground.write("home/.config/dsh-acp/skills/mine/SKILL.md", head("mine", "user"));
    await ground.write("home/repo/.agents/skills/mine/SKILL.md", head("mine", "repository"));
    await ground.write("home/repo/.agents/skills/far/SKILL.md", head("far", "root"));
    await ground.write("home/repo/a/.agents/skills/far/SKILL.md", head("far", "nearest"));
    await ground.write("home/repo/a/.claude/skills/unseen/SKILL.md", head("unseen", "beside .agents"));
    await ground.write("home/repo/a/b/.claude/skills/near/SKILL.md", head("near", "b"));
    assertEquals(await names(ground, join(ground.repo, "a", "b")), ["mine: user", "near: b", "far: nearest"]);
    assertEquals((await ground.read()).skills[0]?.path, join(ground.configDir, "skills", "mine", "SKILL.md"));
  }));

Deno.test("skills: front matter is YAML, the directory is the name where it has none", () =>
  onGround(async (ground) => {
    const skills = {
      folded: "---\r\nname: folded\r\ndescription: >-\r\n  two\r\n  lines\r\nextra: [1, {a: b}]\r\n---\r\n",
      quoted: `---\nname: "q.1"\ndescription: 'Use: when'\n---`,
      unnamed: "---\ndescription: |\n  a\n  b\n---\n",
      long: head("long", "x".repeat(5000)),
    };
    for (const [dir, text] of Object.entries(skills)) {
      await ground.write(`home/repo/.agents/skills/${dir}/SKILL.md`, text);
    }
    assertEquals(await names(ground), [
      "folded: two lines",
      `long: ${"x".repeat(300)}…`,
      "q.1: Use: when",
      "unnamed: a b",
    ]);
  }));

Deno.test("skills: what cannot be used is left out, and said", async (t) => {
  const cases: Record<string, [text: string, fault: RegExp]> = {
    "no front matter": ["# Hello", /no front matter/],
    "an end that never comes": [
      "---\nname: x\ndescription: y\n" + "z".repeat(10_000) + "\n---\n",
      /no front matter/,
    ],
    "no YAML": ["---\nname: x\ndescription: Use when: now\n---\n", /is no YAML/],
    "no description": ["---\nname: x\n---\n", /no description/],
    "a description that is no text": ["---\nname: x\ndescription: [a]\n---\n", /no description/],
    "a name that could be anything": [head("'a b`\\n'", "y"), /name/],
    "only a list": ["---\n- a\n---\n", /no description/],
    "aliases, which could explode": ["---\nname: x\na: &a y\ndescription: *a\n---\n", /is no YAML: .*Alias/],
  };
  for (const [name, [text, fault]] of Object.entries(cases)) {
    await t.step(name, () =>
      onGround(async (ground) => {
        await ground.write("home/repo/.agents/skills/bad/SKILL.md", text);
        await ground.write("home/repo/.agents/skills/good/SKILL.md", head("good", "fine"));
        const guidance = await ground.read();
        assertEquals(guidance.skills.map((s) => s.name), ["good"]);
        assertEquals(guidance.faults.length, 1);
        assertMatch(guidance.faults[0]!, fault);
        assertMatch(guidanceLine(guidance, ground.repo, ground.home)!, /^1 skill: good; left out: .*bad/);
      }));
  }
});

Deno.test("skills: links out of the repository, FIFOs and stray files are no skills", () =>
  onGround(async (ground) => {
    await ground.write("elsewhere/SKILL.md", head("planted", "x"));
    const skills = join(ground.repo, ".agents", "skills");
    await ground.write("home/repo/.agents/skills/README.md", "not a skill");
    await Deno.symlink(join(ground.root, "elsewhere"), join(skills, "linked"));
    await Deno.mkdir(join(skills, "fifo"));
    await new Deno.Command("mkfifo", { args: [join(skills, "fifo", "SKILL.md")] }).output();
    assertEquals((await ground.read()).skills, []);
    await ground.write("home/repo/shared/SKILL.md", head("inside", "y"));
    await Deno.symlink("../../shared", join(skills, "fine"));
    assertEquals(await names(ground), ["inside: y"]);
  }));

Deno.test("skills: their number and their list are bounded, and what is left out is said", () =>
  onGround(async (ground) => {
    for (let i = 0; i < 40; i++) {
      const name = `s${String(i).padStart(2, "0")}`;
      await ground.write(`home/repo/.agents/skills/${name}/SKILL.md`, head(name, "d".repeat(300)));
    }
    const guidance = await ground.read();
    assertEquals([guidance.skills.length, guidance.faults.length], [32, 8]);
    const line = guidanceLine(guidance, ground.repo, ground.home)!;
    assertMatch(line, /^32 skills: s00, .*s07, 24 more; left out: .*more than 32 skills/);
    const long = guidance.skills.map((skill) => ({ ...skill, path: `/${"p".repeat(1000)}` }));
    const text = guidanceText({ ...guidance, skills: long });
    assertMatch(text, /\n- \[2\d more are left out\]$/);
    assertEquals(text.length < 16 * 1024, true);
  }));
