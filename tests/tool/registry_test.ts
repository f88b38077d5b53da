import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { builtinTools, rawArguments, ToolRegistry } from "../../src/tool/registry.ts";
import { defineTool, type Json } from "../../src/tool/tool.ts";

/** Every tool, in the order that the model is told of them. */
const NAMES = [
  ...["bash", "job_output", "job_kill"],
  ...["read", "write", "edit", "glob", "grep"],
  ...["fetch", "subagent"],
  ...["plan", "ask_user"],
];
const PLACE = { cwd: "/w" };

Deno.test("the tools' schemas stay small", () => {
  const specs = builtinTools().specs();
  assertEquals(specs.map((s) => s.name), NAMES);
  assert(JSON.stringify(specs).length < 8192, "the first request to a model should stay below 12 KB");
});

Deno.test("parse() takes brackets in texts for what they are", () => {
  const command = `${"[".repeat(5000)} \\" {{`;
  assert(builtinTools().parse("bash", JSON.stringify({ command })).ok);
});

Deno.test("parse() refuses what is no JSON object, and teaches", () => {
  const tools = builtinTools();
  const deep = `{"command":${"[".repeat(5000)}${"]".repeat(5000)}}`;
  for (const args of ['{"command": "ls', "[1]", '"x"', "null", deep]) {
    const parsed = tools.parse("bash", args);
    assertStringIncludes(parsed.ok ? "" : parsed.fault.message, "not a valid JSON object");
  }
  const missing = tools.parse("read", "");
  assertStringIncludes(missing.ok ? "" : missing.fault.message, "path is missing");
  const unknown = tools.parse("nope", "{}");
  assertStringIncludes(
    unknown.ok ? "" : unknown.fault.message,
    `Tools: ${NAMES.join(", ")}.`,
  );
});

Deno.test("only a tool that says so has no cards, however bad the call is", () => {
  const tools = builtinTools();
  assertEquals(["plan", "ask_user", "bash", "nope"].map((name) => tools.hasCard(name)), [
    false,
    true,
    true,
    true,
  ]);
});

Deno.test("a call that cannot be read gets the generic card", () => {
  const view = builtinTools().presentCall("bash", "{", PLACE);
  assertEquals(view, { title: "`bash`", kind: "other", blocks: [], locations: [] });
  assertEquals(rawArguments("{"), { arguments: "{" });
});

Deno.test("a tool without a presentation gets the generic card, and at its end the model's text", () => {
  const plain = defineTool({
    name: "plain",
    description: "",
    schema: z.object({}),
    readsOnly: true,
    run: () => Promise.resolve({ text: "x", isError: false }),
  });
  const view = new ToolRegistry([plain]).presentResult(
    "plain",
    "{}",
    { text: "done", isError: false },
    PLACE,
  );
  assertEquals(view.blocks, [{ type: "text", text: "done" }]);
});

Deno.test("bash: the title is the exact command, the terminal stands in the workdir", () => {
  const args = JSON.stringify({ command: "ls  -la\n", description: "List", workdir: "src" });
  const view = builtinTools().presentCall("bash", args, PLACE);
  assertEquals(view.title, "ls  -la\n");
  assertEquals(view.terminal, { cwd: "/w/src" });
  assertEquals(view.blocks, [{ type: "text", text: "List" }]);
});

Deno.test("bash: what was logged with the call gives kind and places, if it has their shape", () => {
  const card = (logged: Json | undefined) => {
    const view = builtinTools().presentCall("bash", '{"command":"cat a__b__"}', PLACE, logged);
    assertEquals([view.title, view.terminal], ["cat a__b__", { cwd: "/w" }]);
    return [view.kind, view.locations];
  };
  const locations = [{ path: "/w/a__b__", line: 3 }];
  assertEquals(card({ kind: "read", locations }), ["read", locations]);
  for (
    const other of [undefined, null, 7, {}, { kind: "edit", locations }, { kind: "read", locations: [1] }]
  ) {
    assertEquals(card(other), ["execute", []]);
  }
});

Deno.test("classify() gives nothing for calls that cannot be read, and for tools that know nothing more", async () => {
  const tools = builtinTools();
  assertEquals(await tools.classify("bash", '{"command":"ls"}', PLACE), { kind: "search", locations: [] });
  const failing = defineTool({
    ...{ name: "failing", description: "", schema: z.object({}), readsOnly: true },
    run: () => Promise.resolve({ text: "", isError: false }),
    classify: () => Promise.reject(new Error("no")),
  });
  assertEquals(await tools.classify("bash", '{"command":', PLACE), undefined);
  assertEquals(await tools.classify("bash", '{"command":"ls","background":true}', PLACE), undefined);
  assertEquals(await tools.classify("read", '{"path":"x"}', PLACE), undefined);
  assertEquals(await new ToolRegistry([failing]).classify("failing", "{}", PLACE), undefined);
});

Deno.test("file tools: titles quote the path, locations are absolute", () => {
  const view = builtinTools().presentCall("read", '{"path":"src/__x__.ts","offset":7}', PLACE);
  assertEquals(view.title, "Read `src/__x__.ts` from line 7");
  assertEquals(view.locations, [{ path: "/w/src/__x__.ts", line: 7 }]);
});

Deno.test("bash: escalate needs a justification, and the refusal says so", () => {
  const tools = builtinTools();
  const parse = (args: unknown) => tools.parse("bash", JSON.stringify(args));
  for (const justification of [undefined, "", "  "]) {
    const parsed = parse({ command: "npm i", escalate: "network", justification });
    assertStringIncludes(parsed.ok ? "" : parsed.fault.message, "justification");
  }
  assert(parse({ command: "npm i", escalate: "network", justification: "Fetch packages." }).ok);
  assert(!parse({ command: "npm i", escalate: "root", justification: "x" }).ok);
});

Deno.test("bash: a start that runs on has no exit, and says so in words", () => {
  const args = '{"command":"npm run dev","background":true}';
  const outcome = { text: "", isError: false, facts: { exit: null, job: "job1" } };
  assertEquals(builtinTools().presentResult("bash", args, outcome, PLACE), {
    exitNote: "Runs on in the background as job1.",
    terminalNote: "\n… Runs on in the background as job1. …\n",
  });
});

Deno.test("job tools: the card names the job, and shows what is new and how it stands", () => {
  const tools = builtinTools();
  assertEquals(tools.presentCall("job_output", '{"job_id":"job1"}', PLACE).title, "Output of `job1`");
  assertEquals(tools.presentCall("job_kill", '{"job_id":"job1"}', PLACE).title, "End `job1`");
  const outcome = { text: "", isError: false, facts: { shown: "ready\n", note: "Runs on." } };
  assertEquals(tools.presentResult("job_output", '{"job_id":"job1"}', outcome, PLACE).blocks, [
    { type: "text", text: "```console\nready\n```\n\nRuns on." },
  ]);
});

Deno.test("further tools come and go; none takes the name of one's own", () => {
  const tool = (name: string, text: string) =>
    defineTool({
      name,
      description: text,
      schema: z.record(z.string(), z.unknown()),
      jsonSchema: { type: "object", properties: { own: {} } },
      readsOnly: true,
      run: () => Promise.resolve({ text, isError: false }),
    });
  let further = [tool("mcp__s__t", "one"), tool("bash", "a false one")];
  const tools = builtinTools().with(() => further);
  const spec = (name: string) => tools.specs().find((s) => s.name === name);
  assertEquals(spec("mcp__s__t")?.schema, { type: "object", properties: { own: {} } });
  assert(spec("bash")!.description !== "a false one");
  assertEquals(tools.parse("mcp__s__t", '{"any":1}').ok, true);
  further = [];
  assertEquals([spec("mcp__s__t"), tools.parse("mcp__s__t", "{}").ok], [undefined, false]);
  assertEquals(tools.presentCall("mcp__s__t", "{}", PLACE).title, "`s` · `t`");
});
