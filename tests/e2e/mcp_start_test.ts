import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { plainCapabilities } from "../support/capabilities.ts";
import { freePort, hostile, sessionWith } from "../support/mcp.ts";
import { contentText, script } from "../support/model_script.ts";
import { onEmptyStage, onStage } from "../support/on_stage.ts";
import { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { onlyCard, textOf } from "../support/updates.ts";
import { eventually } from "../support/waiting.ts";
import type { Fields } from "../support/wire.ts";

const OPEN = { client: plainCapabilities, env: { DSH_PRESET: "full-access" } };
const TOKEN = "tok-4711-very-secret-0815";
const results = (stage: Stage) =>
  stage.model.lastCall.messages.filter((m) => m.role === "tool").map((m) => contentText(m.content));
const say = (said: string, server = "h") => script(["tool", `mcp__${server}__say`, { said }], ["text", "ok"]);

/** A port that nobody listens at. */
const CLOSED = freePort();

/** Servers that cannot be started, and what is said of them. */
const BROKEN: [what: string, server: Fields, said: RegExp][] = [
  [
    "whose program is not there",
    { name: "b", command: "no-such-program-4711", args: [], env: [] },
    /`b` could not be started: there is no program no-such-program-4711 in PATH\./,
  ],
  [
    "that ends before it answers",
    hostile("b", "dies", { MY_TOKEN: TOKEN }),
    /`b` could not be started: it ended with exit code 3; it said: cannot read my settings, the token is (\\\*){3}\./,
  ],
  [
    "that prints something else",
    hostile("b", "babbles"),
    /exit code 1; it printed what is no MCP message: Usage: hostile/,
  ],
  ["that prints without end", hostile("b", "endless"), /it sent a message of more than 16 MiB/],
  [
    "that nobody serves",
    { type: "http", name: "b", url: `http://127.0.0.1:${CLOSED}/mcp`, headers: [] },
    /`b` could not be started: .*(refused|error sending)/,
  ],
  [
    "by SSE that nobody serves",
    { type: "sse", name: "b", url: `http://127.0.0.1:${CLOSED}/sse`, headers: [] },
    /`b` could not be/,
  ],
  [
    "at no web address",
    { type: "http", name: "b", url: "file:///etc/passwd", headers: [] },
    /no http\(s\) URL/,
  ],
];

onStage("a server that cannot be started", OPEN, async (stage, t) => {
  for (const [what, server, said] of BROKEN) {
    await t.step(`${what} is named with the cause, and the session and the others live`, async () => {
      const session = await sessionWith(stage, [server, hostile("h")]);
      const { updates } = await session.run(say("alive"));
      assertMatch(textOf(updates), said);
      assertEquals(results(stage), ["alive"]);
      assertMatch(textOf((await session.run("/mcp")).updates), /`b` \(\w+\): down – /);
      assert(
        !textOf((await session.run("again")).updates).includes("could not be started"),
        "it is said once",
      );
    });
  }
});

onStage("a server that wants a login is told apart", OPEN, async (stage) => {
  const sent: unknown[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => {
      sent.push(request.headers.get("authorization"));
      return new Response("", { status: 401 });
    },
  );
  try {
    for (const type of ["http", "sse"]) {
      const url = `http://127.0.0.1:${server.addr.port}/?api_key=${TOKEN}`;
      const headers = [{ name: "Authorization", value: `Bearer ${TOKEN}` }];
      const session = await sessionWith(stage, [{ type, name: "b", url, headers }]);
      const { updates } = await session.run("hello");
      assertMatch(textOf(updates), /wants a login \(HTTP 401\).*put a token into its headers/, type);
      assertEquals(new Set(sent.splice(0)), new Set([`Bearer ${TOKEN}`]), "the header is sent, each time");
    }
  } finally {
    await server.shutdown();
  }
  assert(!JSON.stringify(stage.agent.frames).includes(TOKEN));
});

onStage("a server that never answers holds up the first model call for a while only", OPEN, async (stage) => {
  const session = await sessionWith(stage, [hostile("mute", "mute"), hostile("h")]);
  const { updates } = await session.run(say("meanwhile"));
  assertEquals(results(stage), ["meanwhile"]);
  assert(!textOf(updates).includes("could not"), "it may yet come");
  assertMatch(
    textOf((await session.run("/mcp")).updates),
    /`mute` \(stdio\): starting\n- `h` \(stdio\): ready/,
  );
  await stage.agent.call("session/close", { sessionId: session.id });
});

onStage("session/new does not wait for its servers", OPEN, async (stage) => {
  const opened = await sessionWith(stage, [hostile("mute", "mute")]);
  const { updates } = await opened.run("/mcp"); // no model call: nothing to wait for
  assertStringIncludes(textOf(updates), "`mute` (stdio): starting");
});

onStage(
  "what a server prints beside its messages, and floods of them, disturb nobody",
  OPEN,
  async (stage) => {
    const session = await sessionWith(stage, [
      hostile("banner", "banner"),
      hostile("flood", "flood"),
      hostile("h"),
    ]);
    await session.run(script(
      ["tool", "mcp__banner__say", { said: "one" }],
      ["tool", "mcp__flood__say", { said: "two" }],
      ["tool", "mcp__h__say", { said: "three" }],
      ["bash", "echo four"],
      ["text", "ok"],
    ));
    assertEquals(results(stage).map((r) => r.trim()), ["one", "two", "three", "four"]);
  },
);

onStage(
  "a server gets its own settings and the user's places, and none of the agent's keys",
  { ...OPEN, secrets: { AWS_SECRET_ACCESS_KEY: "aws-4711-secret-value" } },
  async (stage) => {
    const session = await sessionWith(stage, [
      hostile("h", "plain", { MY_FLAVOUR: "sweet", MY_TOKEN: TOKEN }, "one", "two words"),
    ]);
    await session.run(
      script(["tool", "mcp__h__env", {}], ["tool", "mcp__h__args", {}], ["tool", "mcp__h__cwd", {}], [
        "text",
        "ok",
      ]),
    );
    const [env, args, cwd] = results(stage);
    const seen = JSON.parse(env!);
    assertEquals([seen.HOME, seen.MY_FLAVOUR, seen.LANG], [stage.home, "sweet", "C.UTF-8"]);
    assert(seen.PATH);
    for (const name of ["DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", "AWS_SECRET_ACCESS_KEY", "DSH_STATE_DIR"]) {
      assertEquals(seen[name], undefined, name);
    }
    assertEquals(seen.MY_TOKEN, "***"); // it has it; nobody else is shown it
    assertEquals([args, cwd], ['["one","two words"]', stage.workspace]);
  },
);

onEmptyStage(
  "a server's secrets are in no frame, no log and no store",
  { client: plainCapabilities },
  async (stage) => {
    const log = `${stage.root}/agent.log`;
    await stage.start({
      args: ["--log-level", "debug", "--log-file", log],
      env: OPEN.env,
      client: plainCapabilities,
    });
    const session = await sessionWith(stage, [
      hostile("h", "plain", { MY_TOKEN: TOKEN }),
      hostile("dies", "dies", { MY_TOKEN: TOKEN }),
      {
        type: "http",
        name: "web",
        url: `http://user:${TOKEN}@127.0.0.1:${CLOSED}/?api_key=${TOKEN}`,
        headers: [{ name: "X-Key", value: TOKEN }],
      },
    ]);
    await session.run(script(["tool", "mcp__h__env", {}], ["text", "ok"]));
    await session.run("/mcp");
    assert(!JSON.stringify(stage.agent.frames).includes(TOKEN), "a frame");
    assert(!JSON.stringify(stage.model.calls.map((c) => c.body)).includes(TOKEN), "the model");
    await stage.stop();
    assert((await Deno.readTextFile(log)).includes("connected"));
    assert(!(await Deno.readTextFile(log)).includes(TOKEN), "the log");
    for (const { name } of (await Array.fromAsync(Deno.readDir(stage.stateDir))).filter((e) => e.isFile)) {
      assert(
        !new TextDecoder("latin1").decode(await Deno.readFile(`${stage.stateDir}/${name}`)).includes(TOKEN),
        name,
      );
    }
  },
);

onStage("a load or a fork starts the servers of its own request", OPEN, async (stage) => {
  const { agent } = stage;
  const first = await sessionWith(stage, [hostile("h")]);
  await first.run(script(["tool", "mcp__h__pid", {}], ["text", "ok"]));
  const [pid] = results(stage);
  // Open still: the same server goes on, another one is added, what is gone ends.
  const where = { sessionId: first.id, cwd: stage.workspace };
  await agent.call("session/load", { ...where, mcpServers: [hostile("h"), hostile("more")] });
  await first.run(
    script(["tool", "mcp__h__pid", {}], ["tool", "mcp__more__say", { said: "added" }], ["text", "ok"]),
  );
  assertEquals(results(stage).slice(-2), [pid, "added"]);
  await agent.call("session/load", { ...where, mcpServers: [hostile("more")] });
  await first.run(
    script(["tool", "mcp__h__pid", {}], ["tool", "mcp__more__say", { said: "stays" }], ["text", "ok"]),
  );
  assertMatch(results(stage).at(-2)!, /There is no tool/);
  assertEquals(results(stage).at(-1), "stays");
  await eventually("the server that is gone has ended", () => {
    try {
      Deno.kill(Number(pid), "SIGCONT");
      return false;
    } catch {
      return true;
    }
  });
  // Closed: all starts anew, in a process of its own for each session.
  await agent.call("session/close", { sessionId: first.id });
  const again = await agent.call("session/fork", { ...where, mcpServers: [hostile("h")] });
  await agent.call("session/load", { ...where, mcpServers: [hostile("h")] });
  const pids = [];
  for (const id of [first.id, String(again.sessionId)]) {
    const session = new Session(agent, id, stage.workspace);
    const { updates } = await session.run(script(["tool", "mcp__h__pid", {}], ["text", "ok"]));
    assertEquals(onlyCard(updates).status, "completed");
    pids.push(results(stage).at(-1));
  }
  assertEquals(new Set([pid, ...pids]).size, 3);
});

onStage(
  "a server on the network that never says a word does not keep a session from closing",
  OPEN,
  async (stage) => {
    const silent = () => new Promise<Response>(() => {});
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, silent);
    try {
      for (const type of ["http", "sse"]) {
        const url = `http://127.0.0.1:${server.addr.port}/`;
        const session = await sessionWith(stage, [{ type, name: "silent", url, headers: [] }]);
        assertStringIncludes(textOf((await session.run("/mcp")).updates), `\`silent\` (${type}): starting`);
        await stage.agent.call("session/close", { sessionId: session.id });
      }
    } finally {
      server.shutdown(); // it waits for the silent ones, which nobody does
    }
  },
);
