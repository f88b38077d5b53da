import { assert, assertEquals } from "@std/assert";
import unstable from "@agentclientprotocol/sdk/schema/v1/schema.unstable.json" with { type: "json" };
import { declares } from "../support/capabilities.ts";
import { onEmptyStage } from "../support/on_stage.ts";
import { initializeParams } from "../support/stage.ts";
import type { Fields } from "../support/wire.ts";

/** The capability that a client looks at before it calls a method; methods not named here are always there. */
const CAPABILITIES: Readonly<Record<string, string>> = {
  "session/load": "loadSession",
  "session/list": "sessionCapabilities.list",
  "session/resume": "sessionCapabilities.resume",
  "session/close": "sessionCapabilities.close",
  "session/delete": "sessionCapabilities.delete",
  "session/fork": "sessionCapabilities.fork",
  "session/archive": "sessionCapabilities.archive",
  "session/unarchive": "sessionCapabilities.archive",
  "session/status": "sessionCapabilities.status",
  "session/set_title": "sessionCapabilities.title",
  "logout": "auth.logout",
  "auth/status": "auth.status",
  "providers/list": "providers",
  "providers/set": "providers",
  "providers/disable": "providers",
  "mcp/message": "mcpCapabilities.acp",
  "proxy/initialize": "proxy",
  "proxy/successor": "proxy",
};

const methods = new Set(
  Object.values(unstable.$defs as unknown as Record<string, Fields>)
    .filter((definition) => ["agent", "proxy"].includes(String(definition["x-side"])))
    .map((definition) => String(definition["x-method"])),
);
/** Notifications, and what every agent is asked first. */
const APART = ["initialize", "session/cancel"];

onEmptyStage(
  "a method of the schema that is not offered is -32601, every other is not",
  {},
  async (stage) => {
    const agent = stage.launch();
    const { agentCapabilities } = await agent.call("initialize", initializeParams({}));
    assert(methods.size > 20);
    for (const method of [...methods].filter((m) => !APART.includes(m))) {
      const { sessionId } = await agent.call("session/new", { cwd: stage.workspace, mcpServers: [] });
      const place = { sessionId, cwd: stage.workspace, mcpServers: [] };
      const { error } = await agent.request(method, {
        ...place,
        prompt: 5,
        modeId: "?",
        configId: "?",
        value: "?",
      });
      const capability = CAPABILITIES[method];
      const offered = capability === undefined || declares(agentCapabilities as Fields, capability);
      assertEquals(error?.code === -32601, !offered, `${method}: ${JSON.stringify(error)}`);
    }
  },
);

onEmptyStage("session capabilities are markers, as the schema has them", {}, async (stage) => {
  const { agentCapabilities } = await stage.launch().call("initialize", initializeParams({}));
  const { sessionCapabilities } = agentCapabilities as { sessionCapabilities: Fields };
  for (const name of ["list", "resume", "close", "delete", "additionalDirectories", "fork"]) {
    assertEquals(sessionCapabilities[name], {}, name);
  }
});
