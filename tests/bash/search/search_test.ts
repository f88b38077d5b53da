import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { FileError } from "../../../src/bash/executor_handle.ts";
import type { SearchRequest, SearchResult, TextSearch } from "../../../src/bash/search/search.ts";
import { processesRunning } from "../../support/process_tree.ts";
import { eventually } from "../../support/waiting.ts";
import { environmentIn, makePlace, type Rig, startRig, uniqueSleep } from "../rig.ts";

const MODES = [["in bubblewrap", true], ["by Landlock alone", false]] as const;
const GO = new AbortController().signal;

const lines = (pattern: string, more: Partial<TextSearch> = {}): TextSearch => ({
  ...{ pattern, give: "lines", before: 0, after: 0, ignoreCase: false, fixed: false, multiline: false },
  ...more,
});

function find(rig: Rig, more: Partial<SearchRequest> = {}, signal: AbortSignal = GO): Promise<SearchResult> {
  const request = { path: rig.place.workspace, skip: 0, limit: 100, timeoutMs: 60_000, ...more };
  return rig.executor.search(request, signal);
}

/** What was found, without the workspace before it. */
function told(rig: Rig, { entries }: SearchResult): string[] {
  return entries.map((e) => {
    const name = e.path.replace(`${rig.place.workspace}/`, "");
    return e.text === undefined ? name : `${name}:${e.line}${e.context ? "-" : ":"}${e.text}`;
  });
}

const fault = (thrown: unknown) => thrown instanceof FileError ? thrown.fault : String(thrown);

for (const [mode, bubblewrap] of MODES) {
  Deno.test(`Executor.search() ${mode}`, async (t) => {
    const place = await makePlace();
    await Deno.mkdir(`${place.home}/.ssh`);
    await Deno.writeTextFile(`${place.home}/.ssh/id`, "needle in a key");
    await using rig = await startRig("workspace", {}, place, { bubblewrap });
    await rig.run(
      "mkdir -p src/deep; echo 'one needle' > src/a.ts; printf 'x\\nneedle\\ny\\n' > src/deep/b.js",
    );

    await t.step("finds lines, files, counts and names", async () => {
      const text = (more: Partial<TextSearch>) => ({ text: lines("needle", more) });
      assertEquals(told(rig, await find(rig, text({}))), ["src/a.ts:1:one needle", "src/deep/b.js:2:needle"]);
      assertEquals(told(rig, await find(rig, text({ before: 1, type: "js" }))), [
        "src/deep/b.js:1-x",
        "src/deep/b.js:2:needle",
      ]);
      assertEquals(told(rig, await find(rig, text({ give: "files" }))), ["src/a.ts", "src/deep/b.js"]);
      assertEquals((await find(rig, text({ give: "counts" }))).entries.map((e) => e.count), [1, 1]);
      assertEquals(told(rig, await find(rig, { matching: "^src/[^/]*$" })), ["src/a.ts"]);
      assertEquals(told(rig, await find(rig, { path: `${place.workspace}/src/a.ts`, ...text({}) })), [
        "src/a.ts:1:one needle",
      ]);
    });

    await t.step("reads no secrets, nor through links, which an unconfined one does", async () => {
      await Deno.symlink(`${place.home}/.ssh`, `${place.workspace}/link`);
      const text = lines("needle");
      const wide = await find(rig, { path: place.home, text });
      assertEquals(wide.entries.map((e) => e.text), ["one needle", "needle"]);
      for (const path of [`${place.home}/.ssh`, `${place.home}/.ssh/id`, `${place.workspace}/link`]) {
        assertEquals(await find(rig, { path, text }).catch(fault), "denied", path);
      }
      const names = await find(rig, { path: place.home });
      assertEquals(names.entries.filter((e) => e.path.includes(".ssh")), []);
      await using free = await startRig("full-access");
      const seen = await find(free, { path: place.home, text });
      assert(seen.entries.some((e) => e.text === "needle in a key"));
    });
  });
}

Deno.test("Executor.search() respects ignore files, also without git, and leaves .git out", async () => {
  await using rig = await startRig();
  await rig.run(
    `mkdir -p .git dist sub .github; echo needle | tee .git/x dist/y keep.ts gen.ts .github/w >/dev/null
    echo needle > sub/.env; printf 'dist/\\ngen.ts\\n' > .gitignore`,
  );
  const seen = ["keep.ts", "sub/.env", ".github/w"].sort();
  assertEquals(told(rig, await find(rig, { text: lines("needle", { give: "files" }) })).sort(), seen);
  const every = await find(rig, { matching: "^.*$" });
  assertEquals(told(rig, every).sort(), [...seen, ".gitignore"].sort());
  const narrowed = lines("needle", { give: "files", names: "*.ts", without: "*.env" });
  assertEquals(told(rig, await find(rig, { text: narrowed })), ["keep.ts"]);
  const named = await find(rig, { path: `${rig.place.workspace}/dist`, text: lines("needle") });
  assertEquals(told(rig, named), ["dist/y:1:needle"]);
});

Deno.test("Executor.search() gives names and texts of any bytes", async () => {
  await using rig = await startRig();
  await rig.run(`echo needle > 'two words'; echo needle > $'line\\nbreak'; echo needle > $'bad\\xff'
    echo needle > '🦕.ts'; echo needle > ' -x'; echo needle > -e; printf 'needle \\xff\\xfe\\r\\n' > bytes
    printf 'needle\\0needle\\n' > nul`);
  const names = [" -x", "-e", "bad\uFFFD", "bytes", "line\nbreak", "two words", "🦕.ts"].sort();
  const result = await find(rig, { text: lines("needle", { give: "files" }) });
  assertEquals(told(rig, result).filter((n) => n !== "nul").sort(), names);
  const counted = await find(rig, { text: lines("needle", { give: "counts" }) });
  assertEquals(
    counted.entries.map((e) => e.path.slice(rig.place.workspace.length + 1)).filter((n) => n !== "nul")
      .sort(),
    names,
  );
  assertEquals(told(rig, await find(rig)).sort(), [...names, "nul"].sort());
  const bytes = await find(rig, { path: `${rig.place.workspace}/bytes`, text: lines("needle") });
  assertEquals(bytes.entries[0]!.text, "needle \uFFFD\uFFFD");
  const dash = await find(rig, { path: `${rig.place.workspace}/-e`, text: lines("needle") });
  assertEquals(dash.entries.length, 1);
});

Deno.test("Executor.search() takes no text for a flag", async () => {
  await using rig = await startRig();
  await rig.run("printf -- '--pre=touch\\n-e\\n' > a; mkdir -p -- '--files'; echo x > ./--files/b");
  for (const pattern of ["--pre=touch", "-e"]) {
    assertEquals((await find(rig, { text: lines(pattern) })).entries.map((e) => e.text), [pattern]);
  }
  const flags = { type: "js --pre=touch", without: "*.x --pre=touch", names: "*.x" };
  for (const [name, value] of Object.entries(flags)) {
    const result = await find(rig, { text: lines("zzz", { [name]: value }) }).catch(fault);
    assert(result === "bad-pattern" || (result as SearchResult).entries.length === 0, name);
  }
  const inside = await find(rig, { path: `${rig.place.workspace}/--files`, text: lines("x") });
  assertEquals(inside.entries.length, 1);
});

Deno.test("Executor.search() gives pages that fit together, and names those changed last first", async () => {
  await using rig = await startRig();
  await rig.run(`mkdir d; for i in $(seq 9); do echo "needle $i" > d/$i; touch -d @$((1000 + i)) d/$i; done`);
  const text = lines("needle");
  const pages = [];
  for (const skip of [0, 4, 8]) pages.push(await find(rig, { text, skip, limit: 4 }));
  assertEquals(pages.map((p) => [p.entries.length, p.total]), [[4, 9], [4, 9], [1, 9]]);
  const whole = await find(rig, { text });
  assertEquals(pages.flatMap((p) => p.entries), [...whole.entries]);
  assertEquals(told(rig, await find(rig, { limit: 3 })), ["d/9", "d/8", "d/7"]);
  assertEquals(told(rig, await find(rig, { skip: 7, limit: 3 })), ["d/2", "d/1"]);
  assertEquals((await find(rig, { text, skip: 100 })).entries, []);
});

Deno.test("Executor.search() is bounded", async (t) => {
  await using rig = await startRig();

  await t.step("in the length of lines: what stands around a match is kept", async () => {
    const long = `${"a".repeat(3000)}needle${"b".repeat(3000)}`;
    await Deno.writeTextFile(`${rig.place.workspace}/long`, `${long}\nneedle${"é".repeat(2000)}\n`);
    const { entries: [first, second] } = await find(rig, { text: lines("needle") });
    assertStringIncludes(first!.text!, "needle");
    assertMatch(first!.text!, /^\[\d+ characters\] …a+needleb+… \[\d+ more characters\]$/);
    assert(first!.text!.length < 600 && second!.text!.length < 600);
  });
  await t.step("in the length of a line that nobody could hold", async () => {
    await Deno.writeTextFile(`${rig.place.workspace}/huge`, `${"x".repeat(6_000_000)}needle\n`);
    const { entries } = await find(rig, { path: `${rig.place.workspace}/huge`, text: lines("needle") });
    assertEquals(entries.map((e) => [e.line, e.text]), [[undefined, "[a match in a very long line]"]]);
    await Deno.remove(`${rig.place.workspace}/huge`);
  });
  await t.step("in the size of a page", async () => {
    await Deno.writeTextFile(`${rig.place.workspace}/wide`, `needle ${"w".repeat(480)}\n`.repeat(800));
    const path = `${rig.place.workspace}/wide`;
    const page = await find(rig, { path, text: lines("needle"), limit: 1000 });
    assert(page.entries.length > 100 && page.entries.length < 200 && page.total === 800);
    const next = await find(rig, { path, text: lines("needle"), skip: page.entries.length, limit: 1000 });
    assertEquals(next.entries[0]!.line, page.entries.length + 1);
  });
  await t.step("in the size of a page of names", async () => {
    await rig.run(`mkdir names; cd names; for i in $(seq 400); do echo needle > $(printf '%0250d' $i); done`);
    const path = `${rig.place.workspace}/names`;
    for (const what of [{}, { text: lines("needle", { give: "files" }) }]) {
      const page = await find(rig, { path, ...what, limit: 1000 });
      assert(page.entries.length > 100 && page.entries.length < 260 && page.total === 400);
      const next = await find(rig, { path, ...what, skip: page.entries.length, limit: 1000 });
      assertEquals(new Set([...page.entries, ...next.entries].map((e) => e.path)).size, 400);
    }
  });
  await t.step("in the number of lines and of files", async () => {
    await Deno.writeTextFile(`${rig.place.workspace}/many`, "needle\n".repeat(100_000));
    const found = await find(rig, { text: lines("needle"), limit: 5 });
    assertEquals([found.stopped, found.entries.length, found.total], ["limit", 5, 20_000]);
    await rig.run("mkdir tree; cd tree; seq 10100 | xargs touch");
    const names = await find(rig, { limit: 5 });
    assertEquals([names.stopped, names.entries.length, names.total], ["limit", 5, 10_000]);
  });
});

Deno.test("Executor.search() refuses what it cannot do, and says why", async (t) => {
  await using rig = await startRig();
  const { workspace } = rig.place;
  await rig.run("mkfifo fifo; echo x > a");

  await t.step("places that are none", async () => {
    const cases: [path: string, fault: string][] = [
      [`${workspace}/none`, "not-found"],
      [`${workspace}/fifo`, "not-regular"],
      ["/dev/zero", "not-regular"],
      ["relative", "failed"],
    ];
    for (const [path, expected] of cases) {
      assertEquals(await find(rig, { path, text: lines("x") }).catch(fault), expected, path);
    }
  });
  await t.step("patterns and types, in ripgrep's own words", async () => {
    const cases: [Partial<TextSearch>, RegExp][] = [
      [{ pattern: "fo(" }, /unclosed group/],
      [{ pattern: "x", type: "nonsense" }, /file type: nonsense/],
      [{ pattern: "a\nb" }, /is not allowed in a regex/],
      [{ pattern: "x", without: "{a" }, /glob/],
    ];
    for (const [more, words] of cases) {
      const error = await assertRejects(() => find(rig, { text: lines("", more) }), FileError);
      assertEquals(error.fault, "bad-pattern");
      assertMatch(error.message, words);
    }
    const plain = await find(rig, { text: lines("fo(", { fixed: true }) });
    assertEquals(plain.entries, []);
  });
});

/** A rig whose ripgrep is this shell script. */
async function rigWith(
  script: string,
  preset: "workspace" | "full-access" = "workspace",
  bubblewrap = true,
): Promise<Rig> {
  const place = await makePlace();
  await Deno.mkdir(`${place.home}/.ssh`);
  await Deno.writeTextFile(`${place.home}/.ssh/id`, "a key");
  await Deno.mkdir(`${place.root}/bin`);
  await Deno.writeTextFile(`${place.root}/bin/rg`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const environment = environmentIn(place.home);
  const path = `${place.root}/bin:${environment.PATH}`;
  return await startRig(preset, {}, place, {
    bubblewrap,
    environment: { ...environment, PATH: path },
  });
}

Deno.test("ripgrep is confined as commands are, whatever it tries", async (t) => {
  const script = `see() { if "$@" >/dev/null 2>&1; then printf './%s\\0' "$1"; fi; }
    see cat "$HOME/.ssh/id"; see touch "$HOME/planted"; see true`;
  for (const [mode, bubblewrap] of MODES) {
    await t.step(mode, async () => {
      await using rig = await rigWith(script, "workspace", bubblewrap);
      assertEquals(told(rig, await find(rig)), ["true"]);
    });
  }
  await t.step("not with full access", async () => {
    await using rig = await rigWith(script, "full-access");
    assertEquals(told(rig, await find(rig)).sort(), ["cat", "touch", "true"]);
  });
});

Deno.test("a search that takes too long", async (t) => {
  for (const preset of ["workspace", "full-access"] as const) {
    const nap = uniqueSleep();
    await using rig = await rigWith(`printf './a\\0'; sleep ${nap} & wait`, preset);
    const isGone = () => eventually("ripgrep's end", () => processesRunning(nap).length === 0);

    await t.step(`ends when it is cancelled, with all its processes (${preset})`, async () => {
      const stop = new AbortController();
      const searching = find(rig, {}, stop.signal);
      await eventually("ripgrep", () => processesRunning(nap).length > 0);
      stop.abort();
      assertEquals((await searching).stopped, "cancelled");
      await isGone();
      await assertRejects(() => find(rig, {}, stop.signal), DOMException);
    });
    await t.step(`ends at its time-out, with what was found so far (${preset})`, async () => {
      const result = await find(rig, { timeoutMs: 3000 });
      assertEquals([result.stopped, told(rig, result)], ["timeout", ["a"]]);
      await isGone();
    });
    await t.step(`does not outlive a command's end, nor end by it (${preset})`, async () => {
      const searching = find(rig, { timeoutMs: 2000 });
      await eventually("ripgrep", () => processesRunning(nap).length > 0);
      assertEquals((await rig.run("true")).strays, 0);
      assertEquals((await searching).stopped, "timeout");
    });
    await t.step(`ends with its executor (${preset})`, async () => {
      const searching = find(rig).catch(String);
      await eventually("ripgrep", () => processesRunning(nap).length > 0);
      await rig.executor.close();
      await searching;
      assertEquals(processesRunning(nap), []);
    });
  }
});

Deno.test("a ripgrep that is none does no harm", async (t) => {
  const cases: Record<string, string> = {
    "it writes what is no JSON": "echo hello",
    "it floods": "yes needle",
    "it dies": "kill -9 $$",
    "it fails": "echo broken >&2; exit 2",
  };
  for (const [name, script] of Object.entries(cases)) {
    await t.step(name, async () => {
      await using rig = await rigWith(script);
      await assertRejects(() => find(rig, { text: lines("needle") }), FileError);
      assertEquals((await rig.run("echo on")).output, "on\n");
    });
  }
});
