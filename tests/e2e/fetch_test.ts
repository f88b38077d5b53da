import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Answer } from "../support/agent.ts";
import { script } from "../support/model_script.ts";
import { onEmptyStage } from "../support/on_stage.ts";
import type { Session } from "../support/session.ts";
import type { Stage } from "../support/stage.ts";
import { cardsOf, joinChunks, onlyCard, toolText } from "../support/updates.ts";
import { eventually } from "../support/waiting.ts";
import type { Fields, Message } from "../support/wire.ts";
import { type PageServer, servePages } from "../support/page_server.ts";

type Option = { readonly optionId: string; readonly kind: string; readonly name: string };

function optionsOf(request: Message): Option[] {
  return (request.params?.options ?? []) as Option[];
}

/** Answers all questions by one kind of option, and keeps them. */
function answerBy(stage: Stage, kind: string): Message[] {
  const asked: Message[] = [];
  stage.agent.onRequest = (request): Answer => {
    asked.push(request);
    const optionId = optionsOf(request).find((option) => option.kind === kind)?.optionId;
    return { result: { outcome: { outcome: "selected", optionId } } };
  };
  return asked;
}

async function start(stage: Stage, config: Fields, env: Record<string, string> = {}): Promise<Session> {
  const file = await stage.write("../config.jsonc", JSON.stringify(config));
  await stage.start({ env: { DSH_CONFIG: file, ...env } });
  return await stage.session();
}

const fetching = (url: string, more: Fields = {}) =>
  script(["tool", "fetch", { url, ...more }], ["text", "went on"]);

function questionText(request: Message | undefined): string {
  return toolText(request?.params?.toolCall as never);
}

onEmptyStage("fetch asks by host and gives the page as Markdown", {}, async (stage, t) => {
  await using server = servePages({
    "/doc": {
      type: "text/html; charset=utf-8",
      body: "<title>A doc</title><h1>Hi</h1><script>x()</script><p>Text",
    },
    "/other": { type: "text/plain", body: "plain words" },
  });
  await using second = servePages({ "/": { type: "text/plain", body: "second" } });
  const session = await start(stage, { fetch: { allowPrivate: ["127.0.0.1"] } });
  const url = `${server.origin}/doc`;

  await t.step("and asks nothing of the server when the answer is no", async () => {
    const asked = answerBy(stage, "reject_once");
    const turn = await session.run(fetching(url));
    assertEquals([asked.length, server.requests.length], [1, 0]);
    assertEquals(onlyCard(turn.updates).status, "failed");
    assertMatch(stage.model.told, /said no/);
  });

  await t.step("and shows the whole address and the host in the question", async () => {
    const asked = answerBy(stage, "allow_once");
    const turn = await session.run(fetching(url));
    const [question] = asked;
    const host = new URL(url).host;
    assertStringIncludes(questionText(question), url);
    assertStringIncludes(questionText(question), `\`${host}\``);
    assertEquals(
      optionsOf(question!).find((o) => o.kind === "allow_always")?.name,
      `Always allow to fetch any page of the host \`${host}\` in this workspace`,
    );
    const card = onlyCard(turn.updates);
    assertEquals([card.call.title, card.call.kind, card.status], [`Fetch \`${url}\``, "fetch", "completed"]);
    assertEquals(card.call.locations, undefined);
    assertStringIncludes(toolText(card.last), "A doc");
    assertStringIncludes(toolText(card.last), "# Hi");
    assertStringIncludes(stage.model.told, "# Hi\n\nText");
    assert(!stage.model.told.includes("x()"), "scripts are no text");
  });

  await t.step("and tells the server nothing but the address", () => {
    const [request] = server.requests;
    assertEquals([...request!.headers.keys()].sort(), [
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
    assertEquals(request!.method, "GET");
  });

  await t.step("and asks again after a yes for once", async () => {
    const asked = answerBy(stage, "allow_always");
    await session.run(fetching(`${server.origin}/other`));
    assertEquals(asked.length, 1);
  });

  await t.step("but not after an always, for this host", async () => {
    const asked = answerBy(stage, "reject_once");
    const turn = await session.run(fetching(`${server.origin}/other`));
    assertEquals([asked.length, onlyCard(turn.updates).status], [0, "completed"]);
    assertStringIncludes(stage.model.told, "plain words");
  });

  await t.step("and for another host it asks again", async () => {
    const asked = answerBy(stage, "reject_once");
    await session.run(fetching(`${second.origin}/`));
    assertEquals([asked.length, second.requests.length], [1, 0]);
  });

  await t.step("and its cards are the same when the session is loaded", async () => {
    const live = joinChunks(stage.agent.updatesOf(session.id)).filter((u) => u.toolCallId);
    await stage.stop();
    await stage.start({ env: { DSH_CONFIG: `${stage.root}/config.jsonc` } });
    assertEquals(cardsOf(live).length, 5);
    const loaded = await stage.load(session.id);
    const replayed = joinChunks(stage.agent.updatesOf(loaded.id)).filter((u) => u.toolCallId);
    assertEquals(cardsOf(replayed).map((c) => c.last), cardsOf(live).map((c) => c.last));
    assertEquals(cardsOf(replayed).map((c) => c.call), cardsOf(live).map((c) => c.call));
    const asked = answerBy(stage, "reject_once");
    await loaded.run(fetching(`${server.origin}/other`));
    assertEquals(asked.length, 0, "the grant is the workspace's, and kept");
  });
});

onEmptyStage("fetches of one reply ask one after the other", {}, async (stage) => {
  await using server = servePages({ "/a": { body: "page a" }, "/b": { body: "page b" } });
  const session = await start(stage, { fetch: { allowPrivate: ["127.0.0.1"] } });
  const asked = answerBy(stage, "allow_always");
  const calls = ["/a", "/b"].map((path) => ["tool", "fetch", { url: server.origin + path }] as const);
  const turn = await session.run(script(["par", calls], ["text", "done"]));
  assertEquals([asked.length, cardsOf(turn.updates).map((c) => c.status)], [1, ["completed", "completed"]]);
});

onEmptyStage("fetch keeps away from private addresses", {}, async (stage, t) => {
  await using server = servePages({ "/": { body: "private words" } });
  await using open = servePages({
    "/to-private": { location: `http://127.0.0.2:${server.port}/` },
    "/to-metadata": { location: "http://169.254.169.254/latest/meta-data/" },
    "/to-file": { location: "file:///etc/passwd" },
    "/loop": { location: "/loop" },
  });
  const session = await start(
    stage,
    { fetch: { allowPrivate: [`127.0.0.1:${open.port}`] } },
    { DSH_PRESET: "full-access" },
  );
  const asked = answerBy(stage, "allow_once");
  const refused: [what: string, url: string, why: RegExp][] = [
    ["this machine", `${server.origin}/`, /no public address.*allowPrivate/],
    ["its name", `http://localhost:${server.port}/`, /no public address/],
    ["another spelling", `http://2130706433:${server.port}/`, /no public address/],
    ["IPv6 around it", `http://[::ffff:127.0.0.1]:${server.port}/`, /no public address/],
    ["a redirect to it", `${open.origin}/to-private`, /127\.0\.0\.2:\d+ has no public address/],
    ["a redirect to a cloud's metadata", `${open.origin}/to-metadata`, /169\.254\.169\.254 has no public/],
    ["a redirect to a file", `${open.origin}/to-file`, /Only http and https/],
    ["redirects without end", `${open.origin}/loop`, /redirected more than 5 times/],
    ["a user name", `http://me:secret@127.0.0.1:${open.port}/`, /user name or password/],
    ["another scheme", "ftp://example.org/", /Only http and https/],
    ["what is no URL", "example.org", /is no URL/],
  ];
  for (const [what, url, why] of refused) {
    await t.step(`such as ${what}`, async () => {
      const turn = await session.run(fetching(url));
      assertEquals(onlyCard(turn.updates).status, "failed");
      assertMatch(stage.model.told, why);
    });
  }
  assertEquals([asked.length, server.requests.length], [0, 0]);

  await t.step("but reaches what the configuration allows", async () => {
    await stage.stop();
    const again = await start(
      stage,
      { fetch: { allowPrivate: [`127.0.0.1:${server.port}`] } },
      { DSH_PRESET: "full-access" },
    );
    const turn = await again.run(fetching(`${server.origin}/`));
    assertEquals(onlyCard(turn.updates).status, "completed");
    assertStringIncludes(stage.model.told, "private words");
  });
});

onEmptyStage("a redirect to another host needs the same leave", {}, async (stage, t) => {
  await using target = servePages({ "/": { body: "behind the redirect" } });
  await using first = servePages({
    "/away": { location: `${target.origin}/` },
    "/near": { location: "/here" },
    "/here": { body: "the same host" },
  });
  const session = await start(stage, { fetch: { allowPrivate: ["127.0.0.1"] } });

  await t.step("which the question says, and which can be refused", async () => {
    const asked: Message[] = [];
    stage.agent.onRequest = (request) => {
      asked.push(request);
      const optionId = asked.length === 1 ? "allow_once" : "reject_once";
      return { result: { outcome: { outcome: "selected", optionId } } };
    };
    const turn = await session.run(fetching(`${first.origin}/away`));
    assertEquals([asked.length, target.requests.length], [2, 0]);
    assertStringIncludes(questionText(asked[1]), "sends on to another host");
    assertStringIncludes(questionText(asked[1]), `${target.origin}/`);
    assertEquals(onlyCard(turn.updates).status, "failed");
  });

  await t.step("and is followed with it", async () => {
    const asked = answerBy(stage, "allow_once");
    const turn = await session.run(fetching(`${first.origin}/away`));
    assertEquals([asked.length, onlyCard(turn.updates).status], [2, "completed"]);
    assertStringIncludes(stage.model.told, "behind the redirect");
    const begun = onlyCard(turn.updates).updates.filter((u) => u.status === "in_progress");
    assertEquals(begun.length, 1, "a call begins once, however many hosts it asks for");
  });

  await t.step("but one on the same host does not ask again", async () => {
    const asked = answerBy(stage, "allow_once");
    await session.run(fetching(`${first.origin}/near`));
    assertEquals(asked.length, 1);
    assertStringIncludes(stage.model.told, "the same host");
  });
});

onEmptyStage("rules of the configuration speak of hosts", {}, async (stage, t) => {
  await using allowed = servePages({ "/": { body: "allowed words" } });
  await using denied = servePages({ "/": { body: "denied words" } });
  const config = {
    fetch: { allowPrivate: ["127.0.0.1"] },
    rules: { allow: ["fetch:127.0.0.1"], deny: [`fetch:127.0.0.1:${denied.port}`] },
  };
  const session = await start(stage, config);
  const asked = answerBy(stage, "allow_once");
  await t.step("an allowed one is fetched unasked", async () => {
    await session.run(fetching(`${allowed.origin}/`));
    assertStringIncludes(stage.model.told, "allowed words");
  });
  await t.step("a denied one is not fetched, in no preset", async () => {
    await session.run(fetching(`${denied.origin}/`));
    assertMatch(stage.model.told, /configuration forbids/);
    await stage.stop();
    const wide = await start(stage, config, { DSH_PRESET: "full-access" });
    await wide.run(fetching(`${denied.origin}/`));
    assertMatch(stage.model.told, /configuration forbids/);
  });
  assertEquals([asked.length, denied.requests.length], [0, 0]);
});

onEmptyStage("fetch gives long pages in pieces, and tells of what is no text", {}, async (stage, t) => {
  const long = Array.from({ length: 9_000 }, (_, i) => `line ${i}`).join("\n");
  await using server: PageServer = servePages({
    "/long": { type: "text/plain", body: long },
    "/huge": { type: "text/plain", body: "x".repeat(6 * 1024 * 1024) },
    "/pic": { type: "image/png", body: "\x89PNG" },
    "/zip": { type: "application/zip", body: "PK" },
    "/gone": { type: "text/plain", body: "no such page", status: 404 },
    "/json": { type: "application/json", body: '{"a": [1, 2]}' },
  });
  const session = await start(
    stage,
    { fetch: { allowPrivate: ["127.0.0.1"] } },
    { DSH_PRESET: "full-access" },
  );
  const told = async (path: string, more: Fields = {}) => {
    const turn = await session.run(fetching(server.origin + path, more));
    return {
      status: onlyCard(turn.updates).status,
      card: toolText(onlyCard(turn.updates).last),
      told: stage.model.told,
    };
  };
  await t.step("with the offset of the next piece", async () => {
    const first = await told("/long");
    const offset = Number(/(\d+) more characters: fetch again with offset (\d+)/.exec(first.told)?.[2]);
    assertEquals(offset, 20_000);
    const second = await told("/long", { offset, max_chars: 100 });
    assertStringIncludes(second.told, long.slice(offset, offset + 100));
    assertMatch((await told("/long", { offset: 10_000_000 })).told, /is past its end/);
  });
  await t.step("and reads a bounded part of huge ones, which it says", async () => {
    const huge = await told("/huge", { offset: 5 * 1024 * 1024 - 10 });
    assertStringIncludes(huge.told, "longer than the 5.0 MiB that are read");
    assert(huge.card.length < 60_000);
  });
  await t.step("images and other binaries by type and size", async () => {
    const pic = await told("/pic");
    assertEquals(pic.status, "completed");
    assertMatch(pic.told, /image\/png.*4 bytes.*\n.*is an image/);
    assertMatch((await told("/zip")).told, /application\/zip.*\n.*no text/);
  });
  await t.step("JSON as it is, and error pages as errors", async () => {
    assertStringIncludes((await told("/json")).told, '{"a": [1, 2]}');
    const gone = await told("/gone");
    assertEquals(gone.status, "failed");
    assertMatch(gone.told, /HTTP 404[^]*no such page/);
  });
});

onEmptyStage("a cancel ends a fetch at once", {}, async (stage) => {
  const silent = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const accepted = silent.accept();
  const session = await start(
    stage,
    { fetch: { allowPrivate: ["127.0.0.1"] } },
    { DSH_PRESET: "full-access" },
  );
  const turn = await session.begin(fetching(`http://127.0.0.1:${(silent.addr as Deno.NetAddr).port}/`));
  using connection = await accepted;
  await session.cancel();
  const { stopReason, updates } = await turn.end();
  assertEquals([stopReason, onlyCard(updates).status], ["cancelled", "failed"]);
  await eventually("the connection is closed", async () => {
    return await connection.read(new Uint8Array(4096)).catch(() => null) === null;
  });
  silent.close();
});
