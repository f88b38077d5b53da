import { assert, assertEquals } from "@std/assert";
import manifest from "../../../deno.json" with { type: "json" };
import { declares, plainCapabilities, zedCapabilities } from "../../support/capabilities.ts";
import { API_KEY, initializeParams, type Stage } from "../../support/stage.ts";
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
  ["19 a login in a terminal is offered to those that ask for it, and to nobody else", async (stage) => {
    for (const [client, offered] of [[{}, 0], [{ auth: { terminal: true } }, 1]] as const) {
      await withAgent(stage, { env: NO_KEY }, async (agent) => {
        const { authMethods } = await agent.call("initialize", initializeParams(client));
        assertEquals((authMethods as Fields[]).filter((m) => m.type === "terminal").length, offered);
      });
    }
  }],
  ["20 ways to log in have ids of their own; with none offered a session is never refused", async (stage) => {
    await withAgent(stage, { env: NO_KEY }, async (agent) => {
      const { authMethods } = await agent.call("initialize", initializeParams(zedCapabilities));
      const ids = (authMethods as Fields[]).map((method) => method.id);
      assert(ids.length > 1 && new Set(ids).size === ids.length, JSON.stringify(ids));
    });
    await withAgent(stage, {}, async () => {
      assertEquals((await initialize(stage, 1)).authMethods, []);
      await stage.session();
    });
  }],
  ["21 without a key a prompt asks for one, and works once there is one", async (stage) => {
    await withAgent(stage, { env: { ...NO_KEY, XDG_CONFIG_HOME: `${stage.root}/21` } }, async (agent) => {
      const session = await stage.session();
      assertEquals((await session.prompt("Hello")).answer.error?.code, -32000);
      assertEquals((await agent.refusal("authenticate", { methodId: "environment" })).code, -32000);
      await typedIn(stage, "21");
      assertEquals(await agent.call("authenticate", { methodId: "environment" }), {});
      await session.run("Hello");
    });
  }],
  ["22 after a logout a prompt asks for a key again", async (stage) => {
    await withAgent(stage, { env: { ...NO_KEY, XDG_CONFIG_HOME: `${stage.root}/22` } }, async (agent) => {
      await typedIn(stage, "22");
      const session = await stage.session();
      await session.run("Hello");
      assertEquals(await agent.call("logout", {}), {});
      assertEquals((await session.prompt("Hello")).answer.error?.code, -32000);
    });
  }],
];

/** As `dsh-acp login` leaves it. */
async function typedIn(stage: Stage, config: string): Promise<void> {
  await Deno.mkdir(`${stage.root}/${config}/dsh-acp`, { recursive: true });
  await Deno.writeTextFile(
    `${stage.root}/${config}/dsh-acp/keys.json`,
    JSON.stringify({ deepseek: API_KEY }),
  );
}
