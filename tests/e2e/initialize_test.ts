import { assert, assertEquals } from "@std/assert";
import manifest from "../../deno.json" with { type: "json" };
import { declares, plainCapabilities, zedCapabilities } from "../support/capabilities.ts";
import { onEmptyStage } from "../support/on_stage.ts";
import { initializeParams } from "../support/stage.ts";
import type { Fields } from "../support/wire.ts";

onEmptyStage("initialize tells version, name and what the agent can do", {}, async (stage) => {
  const result = await stage.launch().call("initialize", initializeParams(zedCapabilities));
  const info = result.agentInfo as Fields;
  assertEquals(result.protocolVersion, 1);
  assert(info.name, "agentInfo.name is empty");
  assertEquals(info.version, manifest.version);
  const capabilities = result.agentCapabilities as Fields;
  const prompt = (capabilities.promptCapabilities ?? {}) as Fields;
  assertEquals(capabilities.loadSession, true);
  assertEquals(prompt.embeddedContext, true, "without it Zed drops selections and diagnostics");
  assert(!prompt.audio, "audio is left out on purpose");
  assertEquals(result.authMethods ?? [], [], "with a key there is nothing to authenticate");
});

onEmptyStage("initialize answers with version 1 whatever version is asked for", {}, async (stage) => {
  const agent = stage.launch();
  for (const protocolVersion of [0, 65535, 2, 1]) {
    const info = { name: "e2e", version: "1" };
    const params = { ...initializeParams(plainCapabilities), protocolVersion, info };
    assertEquals((await agent.call("initialize", params)).protocolVersion, 1);
  }
});

onEmptyStage("a request before initialize is refused and works after it", {}, async (stage) => {
  const agent = stage.launch();
  const params = { cwd: stage.workspace, mcpServers: [] };
  assertEquals((await agent.refusal("session/new", params)).code, -32600);
  await agent.call("initialize", initializeParams(plainCapabilities));
  assert((await agent.call("session/new", params)).sessionId);
});

onEmptyStage("terminal authentication is offered to no client that did not declare it", {}, async (stage) => {
  const agent = stage.launch({ env: { DEEPSEEK_API_KEY: undefined } });
  const { authMethods } = await agent.call("initialize", initializeParams(plainCapabilities));
  assertEquals(((authMethods ?? []) as Fields[]).filter((method) => method.type === "terminal"), []);
});

/** The methods that an agent may leave out, and where it would have to announce them. */
const OPTIONAL: Readonly<Record<string, string>> = {
  "session/list": "sessionCapabilities.list",
  "session/resume": "sessionCapabilities.resume",
  "session/close": "sessionCapabilities.close",
  "session/delete": "sessionCapabilities.delete",
  "session/fork": "sessionCapabilities.fork",
  "logout": "auth.logout",
};

onEmptyStage("a method that was not offered is refused, one that was is not", {}, async (stage) => {
  const agent = stage.launch();
  const { agentCapabilities } = await agent.call("initialize", initializeParams(plainCapabilities));
  const session = await stage.session();
  for (const [method, capability] of Object.entries(OPTIONAL)) {
    const params = { sessionId: session.id, cwd: session.cwd, mcpServers: [] };
    const { error } = await agent.request(method, params);
    const offered = declares(agentCapabilities as Fields, capability);
    assertEquals(error?.code === -32601, !offered, `${method}: ${JSON.stringify(error)}`);
  }
});
