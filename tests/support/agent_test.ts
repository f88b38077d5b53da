import { assertEquals, assertRejects } from "@std/assert";
import { AgentProcess } from "./agent.ts";
import { processesRunning, uniqueSleep } from "./process_tree.ts";
import { eventually } from "./waiting.ts";
import type { Fields } from "./wire.ts";

/** A stand-in for the agent: shell code that gets `$1`, one line of JSON, and is told nothing else. */
function impostor(code: string, ...lines: Fields[]): AgentProcess {
  const texts = lines.map((line) => JSON.stringify({ jsonrpc: "2.0", ...line }));
  return new AgentProcess({
    command: ["bash", "-c", code, "impostor", ...texts],
    env: { PATH: Deno.env.get("PATH")!, HOME: "/nonexistent/impostor" },
    marker: "HOME=/nonexistent/impostor",
    secrets: ["s3cret-s3cret"],
    grace: 500,
  });
}

const GREETS = `read -r _; printf '%s\\n' "$@"; cat > /dev/null`;
const ANSWER: Fields = { id: 1, result: { sessionId: "s" } };

function chunk(text: string): Fields {
  const update = { sessionUpdate: "agent_message_chunk", messageId: "m", content: { type: "text", text } };
  return { method: "session/update", params: { sessionId: "s", update } };
}

async function faultOf(agent: AgentProcess): Promise<string> {
  await agent.request("session/new", {});
  const error = await assertRejects(() => agent[Symbol.asyncDispose](), Error);
  return error.message;
}

function assertMatches(text: string, pattern: RegExp): void {
  assertEquals(pattern.test(text), true, text);
}

Deno.test("an agent process without a fault is disposed in silence", async () => {
  await using agent = impostor(GREETS, ANSWER);
  assertEquals((await agent.request("session/new", {})).result, { sessionId: "s" });
});

Deno.test("an agent process fails its test for a line that the schema refuses", async () => {
  const bad = { method: "session/update", params: { sessionId: "s", update: { sessionUpdate: "nonsense" } } };
  assertMatches(await faultOf(impostor(GREETS, ANSWER, bad)), /unknown update nonsense/);
});

Deno.test("an agent process fails its test for an update outside of a turn", async () => {
  assertMatches(await faultOf(impostor(GREETS, ANSWER, chunk("late"))), /outside of a turn/);
});

Deno.test("an agent process fails its test for a secret on the wire", async () => {
  assertMatches(await faultOf(impostor(GREETS, ANSWER, chunk("s3cret-s3cret"))), /a secret is in/);
});

Deno.test("an agent process fails its test for a byte on stderr, a bad exit or half a line", async () => {
  assertMatches(await faultOf(impostor(`echo oops >&2; ${GREETS}`, ANSWER)), /stderr: oops/);
  assertMatches(await faultOf(impostor(`${GREETS}; exit 3`, ANSWER)), /ended with .*"code":3/);
  assertMatches(await faultOf(impostor(`${GREETS}; printf half`, ANSWER)), /without a newline/);
});

Deno.test("an agent process fails its test for a process that it leaves behind, and ends it", async () => {
  const sleep = uniqueSleep();
  const leaves = `setsid ${sleep} < /dev/null > /dev/null 2>&1 & ${GREETS}`;
  assertMatches(await faultOf(impostor(leaves, ANSWER)), /lives on: sleep/);
  await eventually("it is ended", () => processesRunning(sleep).length === 0);
});
