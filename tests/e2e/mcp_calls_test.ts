import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { plainCapabilities } from "../support/capabilities.ts";
import { hostile, serverCommand, sessionWith } from "../support/mcp.ts";
import { contentText, script, type Step } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { cardsOf, isTool, onlyCard, textOf, toolText } from "../support/updates.ts";
import { eventually } from "../support/waiting.ts";
import type { Fields } from "../support/wire.ts";

const OPEN = { client: plainCapabilities, env: { DSH_PRESET: "full-access" } };
const results = (stage: Stage) =>
  stage.model.lastCall.messages.filter((m) => m.role === "tool").map((m) => contentText(m.content));
const specs = (stage: Stage) =>
  (stage.model.lastCall.body.tools as {
    function: { name: string; description: string; parameters: Fields };
  }[])
    .map((t) => t.function);
const call = (tool: string, args: Fields = {}): Step => ["tool", `mcp__h__${tool}`, args];
/** Calls a tool and gives what the model read of it, and how the card ended. */
async function calling(
  stage: Stage,
  session: Session,
  tool: string,
  args: Fields = {},
): Promise<[string, unknown, string]> {
  const { updates } = await session.run(script(call(tool, args), ["text", "ok"]));
  const card = onlyCard(updates);
  return [results(stage).at(-1)!, card.status, toolText(card.last)];
}

onStage("calls of a server that means no good", OPEN, async (stage, t) => {
  const { agent } = stage;
  const session = await sessionWith(stage, [hostile("h")]);

  await t.step("give what it says; what it calls an error fails the card", async () => {
    assertEquals(await calling(stage, session, "say", { said: "hello" }), [
      "hello",
      "completed",
      "```\nhello\n```",
    ]);
    assertEquals((await calling(stage, session, "fails")).slice(0, 2), ["the disk is on fire", "failed"]);
    assertEquals((await calling(stage, session, "empty"))[0], "(The tool gave no result.)");
    assertEquals((await calling(stage, session, "structured"))[0], '{"answer":42}');
    assertEquals((await calling(stage, session, "link"))[0], "[resource file:///r/1 (one)]");
  });

  await t.step(
    "a long result reaches the model cut, with both ends, and the client in small frames",
    async () => {
      const from = agent.frames.length;
      const [text] = await calling(stage, session, "big", { length: 3_000_000 });
      assertMatch(text, /^BEGINx+\n\[… \d+ characters left out …\]\nx+END$/);
      assert(text.length < 52_000);
      assert(agent.frames.slice(from).every((frame) => frame.bytes < 64 * 1024));
      const [whole] = await calling(stage, session, "big", { length: 40_000 });
      assertEquals(whole.length, 40_008);
    },
  );

  await t.step("what is no result is told as a fault, and the next call goes well", async () => {
    const [text, status] = await calling(stage, session, "malformed");
    assertStringIncludes(text, "The MCP server h answers with an error");
    assertEquals(status, "failed");
    assertEquals((await calling(stage, session, "say", { said: "on" }))[0], "on");
  });

  await t.step(
    "a server that dies in a call fails it with the cause, and its next use starts it again",
    async () => {
      const [first] = await calling(stage, session, "pid");
      const [text, status] = await calling(stage, session, "die");
      assertMatch(
        text,
        /^The MCP server h ended during the call: it ended with exit code 7; it said: the socket fell off\./,
      );
      assertMatch(text, /effects is not known/);
      assertEquals(status, "failed");
      const [second, again] = await calling(stage, session, "pid");
      assertEquals(again, "completed");
      assert(first !== second);
    },
  );

  await t.step(
    "one that dies at each call is given up after three starts, until it is restarted",
    async () => {
      const steps = Array.from({ length: 5 }, () => call("die"));
      await session.run(script(...steps, ["text", "ok"]));
      assertEquals(results(stage).slice(-5).map((r) => r.includes("3 times in vain")), [
        false,
        false,
        false,
        false,
        true,
      ]);
      assertMatch(
        textOf((await session.run("/mcp")).updates),
        /`h` \(stdio\): down – it ended with exit code 7/,
      );
      assertMatch(
        textOf((await session.run("/mcp restart h")).updates),
        /`h` \(stdio\): ready, \d+ tools, 2 prompts/,
      );
      assertEquals((await calling(stage, session, "say", { said: "back" }))[0], "back");
      assertMatch(
        textOf((await session.run("/mcp restart x")).updates),
        /no MCP server `x`; the servers are `h`/,
      );
    },
  );

  await t.step("a cancel ends the call at once, and the server is told", async () => {
    const turn = await session.begin(script(call("hang"), ["text", "never"]));
    await turn.until((u) => isTool(u) && u.status === "in_progress");
    await session.cancel();
    const { stopReason, updates } = await turn.end();
    assertEquals([stopReason, onlyCard(updates).status], ["cancelled", "failed"]);
    const [seen] = await calling(stage, session, "seen");
    assertEquals(JSON.parse(seen).at(-1).method, "notifications/cancelled");
  });

  await t.step("progress moves the card, as often as people can see", async () => {
    const { updates } = await session.run(script(call("slow", { steps: 200, ms: 5 }), ["text", "ok"]));
    const card = onlyCard(updates);
    const moves = card.updates.filter((u) => / % – step \d+/.test(toolText(u)));
    assert(moves.length >= 2 && moves.length < 30, `${moves.length} moves`);
    assertEquals(toolText(card.last), "```\nslow and done\n```");
  });

  await t.step("a tool that comes later is there with the next model call", async () => {
    const { updates } = await session.run(script(call("grow"), call("late"), ["text", "ok"]));
    assertEquals(results(stage).at(-1), 'called "late"');
    assertEquals(cardsOf(updates).map((c) => c.status), ["completed", "completed"]);
    assert(specs(stage).some((tool) => tool.name === "mcp__h__late"));
  });
});

onStage(
  "a server that ends between two turns is named, and started again by its next use",
  OPEN,
  async (stage) => {
    const session = await sessionWith(stage, [hostile("h")]);
    const [pid] = await calling(stage, session, "pid");
    Deno.kill(Number(pid), "SIGKILL");
    await eventually(
      "it is known",
      async () => textOf((await session.run("/mcp")).updates).includes("down – "),
    );
    const { updates } = await session.run("hello");
    assertMatch(textOf(updates), /The MCP server `h` ended: it ended with SIGKILL\./);
    const [again, status] = await calling(stage, session, "pid");
    assertEquals(status, "completed");
    assert(again !== pid);
  },
);

onStage("a call without a sign of life is given up; progress is one", OPEN, async (stage) => {
  const config = `${stage.root}/config.jsonc`;
  await Deno.writeTextFile(
    config,
    JSON.stringify({ mcpServers: { h: { ...serverCommand("hostile"), timeoutMs: 1_000 } } }),
  );
  await stage.start({ env: { DSH_CONFIG: config, ...OPEN.env }, client: plainCapabilities });
  const session = await stage.session();
  const [text, status] = await calling(stage, session, "hang");
  assertStringIncludes(text, "The MCP server h gave no sign of life for 1 seconds");
  assertEquals(status, "failed");
  assertEquals((await calling(stage, session, "slow", { steps: 8, ms: 250 }))[0], "slow and done");
});

onStage(
  "five hundred tools are told of as far as they fit, and the user of the rest",
  OPEN,
  async (stage) => {
    const session = await sessionWith(stage, [hostile("many", "many"), hostile("h")]);
    const { updates } = await session.run(
      script(["tool", "mcp__many__tool-3", {}], call("say", { said: "small" }), ["text", "ok"]),
    );
    assertMatch(textOf(updates), /The MCP server `many` has 500 tools: 4\d\d are left out/);
    assert(!textOf(updates).includes("`h` has"));
    assertEquals(results(stage), ['called "tool-3"', "small"]);
    assertEquals(specs(stage).filter((t) => t.name.startsWith("mcp__")).length, 100);
    assert(!textOf((await session.run("again")).updates).includes("left out"), "it is said once");
  },
);

onStage("names and descriptions reach the model in a form that harms nobody", OPEN, async (stage) => {
  const session = await sessionWith(stage, [hostile("we`ird\n näme__x", "names")]);
  await session.run("hello");
  const tools = specs(stage).filter((t) => t.name.startsWith("mcp__"));
  assertEquals(tools.length, 11);
  assertEquals(new Set(tools.map((t) => t.name)).size, 11);
  for (const { name, description, parameters } of tools) {
    assertMatch(name, /^mcp__[A-Za-z0-9_-]+__[A-Za-z0-9_-]+$/);
    assert(name.length <= 64 && description.length <= 1_700, `${name}: ${description.length}`);
    // deno-lint-ignore no-control-regex -- what must not be there
    assert(!/[\u0000-\u0008\u202e]|\u{e0041}/u.test(description), description);
    assertEquals(parameters.type, "object");
  }
  const of = (part: string) => tools.find((t) => t.name.endsWith(part))!;
  assertMatch(of("__wide").description, /too long to be shown/);
  assertEquals(of("__refs").parameters, {
    type: "object",
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: { a: { type: "string" } },
    "x-own": 1,
  });
  const heading = tools.find((t) => t.description === "hidden words")!;
  const { updates } = await session.run(script(
    ["tool", heading.name, {}],
    ["tool", of("__bash").name, {}],
    ["bash", "echo the real one"],
    ["text", "ok"],
  ));
  assertEquals(results(stage).map((r) => r.trim()).slice(-3), [
    `called ${JSON.stringify("`tick`\n# heading\u202e\u{e0041}")}`,
    'called "bash"',
    "the real one",
  ]);
  assert(cardsOf(updates).every((card) => !/[\n\u202e]/.test(card.call.title!)));
});
