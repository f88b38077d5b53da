import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { FileError } from "../../../src/bash/executor_handle.ts";
import type { SearchResult } from "../../../src/bash/search/search.ts";
import type { Action } from "../../../src/permission/decide.ts";
import { builtinTools } from "../../../src/tool/registry.ts";
import type { Outcome } from "../../../src/tool/tool.ts";
import { FakeExecutor } from "../../support/fake_executor.ts";
import { toolContext } from "../../support/tool_context.ts";

const PLACE = { cwd: "/w" };
const NOTHING: SearchResult = { entries: [], total: 0, unreadable: false };

function call(tool: "glob" | "grep", args: Record<string, unknown>, result: SearchResult | Error = NOTHING) {
  const executor = new FakeExecutor();
  executor.found = () => result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
  const asked: Action[] = [];
  const context = toolContext({
    ...PLACE,
    admit: (action) => {
      asked.push(action);
      return Promise.resolve(executor);
    },
  });
  const parsed = builtinTools().parse(tool, JSON.stringify(args));
  if (!parsed.ok) throw new Error(parsed.fault.message);
  const outcome = parsed.tool.run(parsed.args, context);
  return { outcome, asked, executor };
}

const textOf = async (...args: Parameters<typeof call>) => (await call(...args).outcome).text;

function found(entries: SearchResult["entries"], more: Partial<SearchResult> = {}): SearchResult {
  return { entries, total: entries.length, unreadable: false, ...more };
}

Deno.test("glob and grep only read, and ask for the place that they search", async () => {
  const tools = builtinTools();
  assertEquals([tools.readsOnly("glob", "{}"), tools.readsOnly("grep", "{}")], [true, true]);
  const places: [Parameters<typeof call>[0], Record<string, unknown>, string][] = [
    ["glob", { pattern: "*.ts" }, "/w"],
    ["glob", { pattern: "/etc/*.conf" }, "/etc"],
    ["glob", { pattern: "b/*.ts", path: "a" }, "/w/a/b"],
    ["grep", { pattern: "x" }, "/w"],
    ["grep", { pattern: "x", path: "/etc" }, "/etc"],
  ];
  for (const [tool, args, path] of places) {
    const { outcome, asked, executor } = call(tool, args);
    await outcome;
    assertEquals([asked, executor.searches[0]!.path], [[{ kind: "read", path }], path]);
  }
});

Deno.test("grep tells lines below their file's name, and marks gaps and context", async () => {
  const lines = found([
    { path: "/w/src/a.ts", line: 1, text: "before", context: true },
    { path: "/w/src/a.ts", line: 2, text: "needle" },
    { path: "/w/src/a.ts", line: 9, text: "needle again" },
    { path: "/etc/b", line: 3, text: "needle" },
    { path: "/etc/b", text: "[a match in a very long line]" },
  ]);
  assertEquals(
    await textOf("grep", { pattern: "needle", context: 1 }, lines),
    "src/a.ts\n1-before\n2:needle\n--\n9:needle again\n\n/etc/b\n3:needle\n?:[a match in a very long line]",
  );
});

Deno.test("grep passes on what was asked for, and keeps it within bounds", async () => {
  const asked = async (args: Record<string, unknown>) => {
    const { outcome, executor } = call("grep", { pattern: "x", ...args });
    await outcome;
    const { text, skip, limit } = executor.searches[0]!;
    return { ...text!, skip, limit };
  };
  const plain = await asked({});
  assertEquals([plain.give, plain.limit, plain.skip, plain.before, plain.after], ["lines", 250, 0, 0, 0]);
  const files = await asked({ output_mode: "files", type: "ts", ignore_case: true, offset: 7 });
  assertEquals([files.give, files.limit, files.skip, files.type, files.ignoreCase], [
    "files",
    100,
    7,
    "ts",
    true,
  ]);
  const wide = await asked({ context: 1000, after: 3, head_limit: 1e6, output_mode: "count" });
  assertEquals([wide.before, wide.after, wide.limit, wide.give], [50, 3, 1000, "counts"]);
});

Deno.test("a search tells what else there is, and how to get at it", async () => {
  const one = [{ path: "/w/a" }];
  const text = (more: Partial<SearchResult>, args = {}) =>
    textOf("glob", { pattern: "*", ...args }, found(one, more));
  assertEquals(await text({}), "a");
  assertEquals(await text({ total: 3 }), "a\n[2 more files: use offset=1]");
  assertEquals(await text({ total: 3 }, { offset: 1 }), "a\n[1 more file: use offset=2]");
  assertMatch(
    await text({ total: 9, stopped: "limit" }),
    /at least 8 more files.*\n\[stopped after 9: narrow/,
  );
  assertMatch(await text({ stopped: "timeout" }), /stopped after 20 s: narrow the search/);
  assertMatch(await text({ unreadable: true }), /some of it may not be read/);
  assertMatch(await textOf("glob", { pattern: "*" }), /^No matches\. .*\.gitignore/);
  assertMatch(await textOf("glob", { pattern: "*" }, { ...NOTHING, stopped: "timeout" }), /so far/);
  assertMatch(
    await textOf("glob", { pattern: "*", offset: 9 }, { ...NOTHING, total: 3 }),
    /only 3: offset 9/,
  );
  const counts = found([{ path: "/w/a", count: 2 }, { path: "/w/line\nbreak", count: 1 }]);
  assertEquals(
    await textOf("grep", { pattern: "x", output_mode: "count" }, counts),
    'a: 2\n"line\\nbreak": 1',
  );
});

Deno.test("a pattern that ripgrep refuses fails with its words and a hint", async () => {
  const cases: [words: string, args: Record<string, unknown>, told: RegExp][] = [
    ["regex parse error: unclosed group", {}, /unclosed group\n.*set fixed_strings/],
    ["unrecognized file type: zzz", { type: "zzz" }, /use glob instead/],
    ['the literal "\\n" is not allowed in a regex\n\nConsider --multiline', {}, /regex\nSet multiline/],
  ];
  for (const [words, args, told] of cases) {
    const { outcome } = call("grep", { pattern: "x", ...args }, new FileError("bad-pattern", words));
    const { text, isError } = await outcome;
    assertEquals(isError, true);
    assertMatch(text, told);
  }
  const missing = call("grep", { pattern: "x" }, new FileError("not-found", "/w/none: no such file"));
  await assertRejects(() => missing.outcome, FileError);
});

Deno.test("arguments that no program can be given are refused before anything is searched", () => {
  const tools = builtinTools();
  for (
    const args of [{}, { pattern: "" }, { pattern: "a\0b" }, { pattern: "x", type: "a b" }, {
      pattern: "x",
      offset: -1,
    }]
  ) {
    assertEquals(tools.parse("grep", JSON.stringify(args)).ok, false, JSON.stringify(args));
  }
  assertEquals(tools.parse("glob", '{"pattern":"a\\u0000"}').ok, false);
});

Deno.test("the cards of searches name what is looked for, show it and link to the first matches", async () => {
  const tools = builtinTools();
  const title = (tool: string, args: unknown) => tools.presentCall(tool, JSON.stringify(args), PLACE).title;
  assertEquals(title("grep", { pattern: "a|b", path: "src" }), "Grep `a|b` in `src`");
  assertEquals(title("grep", { pattern: "x" }), "Grep `x`");
  assertEquals(title("glob", { pattern: "**/*.ts", path: "src" }), "Find `**/*.ts` in `src`");
  assertEquals(tools.presentCall("glob", '{"pattern":"*"}', PLACE).kind, "search");

  const entries = Array.from(
    { length: 900 },
    (_, i) => ({ path: "/w/a.ts", line: i + 1, text: "``` x".repeat(5) }),
  );
  const outcome = await call("grep", { pattern: "x" }, found(entries, { total: 2000 })).outcome as Outcome;
  const view = tools.presentResult("grep", '{"pattern":"x"}', outcome, PLACE);
  const [block] = view.blocks!;
  const text = block!.type === "text" ? block!.text : "";
  assertMatch(text, /^900 of 2000 lines in 1 file\.\n\n````\na\.ts\n1:/);
  assertMatch(text, /… \d+ more lines …\n````$/);
  assertEquals([text.length < 9000, view.locations!.length], [true, 20]);
  assertEquals(view.locations![0], { path: "/w/a.ts", line: 1 });

  const none = await call("grep", { pattern: "x" }).outcome as Outcome;
  assertEquals(tools.presentResult("grep", '{"pattern":"x"}', none, PLACE).blocks, [
    { type: "text", text: "No matches." },
  ]);
  const failed = { text: "no such file", isError: true };
  assertStringIncludes(
    JSON.stringify(tools.presentResult("grep", '{"pattern":"x"}', failed, PLACE)),
    "no such file",
  );
});
