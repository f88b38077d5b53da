import { assert, assertEquals } from "@std/assert";
import manifest from "../../../deno.json" with { type: "json" };
import { declares, plainCapabilities, zedCapabilities } from "../../support/capabilities.ts";
import { script } from "../../support/model_script.ts";
import { initializeParams, type Stage } from "../../support/stage.ts";
import { textOf } from "../../support/updates.ts";
import type { Fields } from "../../support/wire.ts";
import { type Check, place, withAgent } from "./check.ts";

const NO_KEY = { DEEPSEEK_API_KEY: undefined };

const OPTIONAL: Readonly<Record<string, string>> = {
  "session/load": "loadSession",
  "session/list": "sessionCapabilities.list",
  "session/resume": "sessionCapabilities.resume",
  "session/fork": "sessionCapabilities.fork",
  "session/close": "sessionCapabilities.close",
  "session/delete": "sessionCapabilities.delete",
  "logout": "auth.logout",
  "providers/list": "providers",
};

/** The answer to an `initialize` that asks for a version. */
function initialize({ agent }: Stage, protocolVersion: number): Promise<Fields> {
  const info = { name: "e2e", version: "1" };
  return agent.call("initialize", { ...initializeParams(plainCapabilities), protocolVersion, info });
}

/** Initialize and authentication: 13–22. */
export const initializing: readonly Check[] = [
  ["13 who asks for version 1 gets it", async (stage) => {
    await withAgent(stage, {}, async () => assertEquals((await initialize(stage, 1)).protocolVersion, 1));
  }],
  ["14 a version that nobody knows is answered with one that the agent speaks", async (stage) => {
    await withAgent(stage, {}, async () => assertEquals((await initialize(stage, 65535)).protocolVersion, 1));
  }],
  ["15 version 0 breaks nothing", async (stage) => {
    await withAgent(stage, {}, async () => {
      assertEquals((await initialize(stage, 0)).protocolVersion, 1);
      await stage.session();
    });
  }],
  ["16 the agent says its name and the package's version", async (stage) => {
    await withAgent(stage, {}, async () => {
      const { agentInfo } = await initialize(stage, 1) as { agentInfo: Fields };
      assertEquals([Boolean(agentInfo.name), agentInfo.version], [true, manifest.version]);
    });
  }],
  ["17 nothing works before initialize, all after it, also after a second one", async (stage) => {
    await Deno.mkdir(`${stage.root}/silent`);
    const agent = stage.launch({ env: { HOME: `${stage.root}/silent` } });
    try {
      for (const method of ["session/new", "session/list", "session/prompt"]) {
        assertEquals((await agent.refusal(method, place(stage))).code, -32600, method);
      }
      for (const _ of [1, 2]) {
        await agent.call("initialize", initializeParams(plainCapabilities));
        assert((await agent.call("session/new", place(stage))).sessionId);
      }
    } finally {
      await stage.stop();
    }
  }],
  ["18 what is advertised works, what is not is refused", async (stage) => {
    await withAgent(stage, {}, async (agent) => {
      const { agentCapabilities } = await initialize(stage, 1);
      for (const [method, capability] of Object.entries(OPTIONAL)) {
        const session = await stage.session();
        await session.run("hello");
        const { error } = await agent.request(method, place(stage, { sessionId: session.id }));
        const offered = declares(agentCapabilities as Fields, capability);
        assertEquals(error?.code, offered ? undefined : -32601, method);
      }
    });
  }],
  ["19 a login in a terminal is offered to nobody who did not ask for it", async (stage) => {
    await withAgent(stage, { env: NO_KEY }, async () => {
      const { authMethods } = await initialize(stage, 1);
      assertEquals((authMethods as Fields[]).filter((method) => method.type === "terminal"), []);
    });
  }],
  // There is no login yet. So none is offered, and a session opens without a key.
  ["20 with no way to log in offered, a session is never refused for want of one", async (stage) => {
    await withAgent(stage, { env: NO_KEY, client: zedCapabilities }, async () => {
      assertEquals((await initialize(stage, 1)).authMethods, []);
      await stage.session();
    });
  }],
  [
    "21 without a key a prompt asks for one or is answered by the demo (no login yet to try)",
    async (stage) => {
      await withAgent(stage, { env: NO_KEY }, async (agent) => {
        const { answer, updates } = await (await stage.session()).prompt(script(["text", "no"]));
        assert(answer.error?.code === -32000 || textOf(updates) !== "", JSON.stringify(answer));
        assertEquals((await agent.refusal("authenticate", { methodId: "any" })).code, -32601);
      });
    },
  ],
  ["22 there is no login to end yet: logout is refused", async ({ agent }) => {
    assertEquals((await agent.refusal("logout", {})).code, -32601);
  }],
];
