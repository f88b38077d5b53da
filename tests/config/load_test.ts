import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { secretsOf } from "../../src/config/config.ts";
import { buildConfig } from "../../src/config/load.ts";
import { AgentError } from "../../src/errors.ts";

const HOME = { HOME: "/home/u" };

async function fromFile(text: string, env: Record<string, string> = {}) {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(dir, "config.jsonc"), text);
    return await buildConfig({}, { ...HOME, DSH_CONFIG: join(dir, "config.jsonc"), ...env }, "linux");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("defaults: workspace preset, silent log, the platform's directories", async () => {
  const config = await buildConfig({}, HOME, "linux");
  assertEquals([config.preset, config.log.level], ["workspace", "off"]);
  assertEquals(config.stateDir, "/home/u/.local/state/dsh-acp");
  assertEquals(
    (await buildConfig({}, HOME, "darwin")).stateDir,
    "/home/u/Library/Application Support/dsh-acp",
  );
  assertEquals((await buildConfig({}, { ...HOME, XDG_STATE_HOME: "/s" }, "linux")).stateDir, "/s/dsh-acp");
});

Deno.test("flags win over the environment, the environment over the file", async () => {
  const file = `{ "preset": "read-only", /* comment */ "model": "a/file", }`;
  assertEquals((await fromFile(file)).preset, "read-only");
  const fromEnv = await fromFile(file, { DSH_PRESET: "confirm", DSH_MODEL: "a/env" });
  assertEquals([fromEnv.preset, fromEnv.model], ["confirm", "a/env"]);
  const flags = await buildConfig({ preset: "full-access" }, { ...HOME, DSH_PRESET: "confirm" }, "linux");
  assertEquals(flags.preset, "full-access");
});

Deno.test("an empty variable counts as unset", async () => {
  const config = await buildConfig({}, { ...HOME, DSH_PRESET: "", DEEPSEEK_API_KEY: "  " }, "linux");
  assertEquals(config.preset, "workspace");
  assertEquals(config.providers.deepseek?.apiKey, undefined);
});

Deno.test("keys come from the environment and are known as secrets", async () => {
  const config = await buildConfig(
    {},
    { ...HOME, DEEPSEEK_API_KEY: "sk-1", OPENAI_API_KEY: "sk-2" },
    "linux",
  );
  assertEquals(secretsOf(config), ["sk-1", "sk-2"]);
  const file =
    `{ "providers": { "mine": { "kind": "openai-compatible", "baseURL": "http://127.0.0.1:1/v1", "apiKeyEnv": "MY_KEY" } } }`;
  assertEquals((await fromFile(file, { MY_KEY: "k" })).providers.mine?.apiKey, "k");
});

Deno.test("window and price of a model are read from the file, and a price without currency is refused", async () => {
  const price = { input: 0.3, output: 1.2, currency: "USD" };
  const { models, titles } = await fromFile(`{ "models": { "m": { "price": ${JSON.stringify(price)} } } }`);
  assertEquals([models, titles], [{ m: { price } }, true]);
  await assertRejects(
    () => fromFile(`{ "models": { "m": { "price": { "input": 1, "output": 1 } } } }`),
    AgentError,
    "models.m.price.currency",
  );
});

Deno.test("wrong settings are refused with the setting's name", async () => {
  const cases: [() => Promise<unknown>, string][] = [
    [
      () => buildConfig({}, { ...HOME, DSH_PRESET: "yolo" }, "linux"),
      'Unknown preset "yolo": choose one of read-only',
    ],
    [() => buildConfig({}, { ...HOME, DSH_LOG: "loud" }, "linux"), 'Unknown log level "loud"'],
    [
      () => buildConfig({}, { ...HOME, DEEPSEEK_BASE_URL: "nope" }, "linux"),
      "DEEPSEEK_BASE_URL is no http(s) URL",
    ],
    [() => buildConfig({}, {}, "linux"), "HOME is not set"],
    [
      () => buildConfig({}, { ...HOME, DSH_CONFIG: "/nowhere/c.jsonc" }, "linux"),
      "/nowhere/c.jsonc cannot be read",
    ],
    [() => fromFile(`{\n"model": }`), "config.jsonc:2"],
    [() => fromFile(`{ "preset": "all" }`), "preset"],
    [() => fromFile(`{ "persmission": 1 }`), "persmission"],
    [() => fromFile(`{ "fetch": { "allowPrivate": ["*"] } }`), "fetch.allowPrivate.0: is no host"],
    [() => fromFile(`{ "fetch": { "allowPrivate": ["http://localhost"] } }`), "is no host"],
    [() => fromFile(`{ "mcpServers": { "s": { "url": "file:///x" } } }`), "mcpServers.s.url: Invalid URL"],
    [
      () => fromFile(`{ "mcpServers": { "s": { "command": "c", "url": "http://x" } } }`),
      "mcpServers.s: a server is",
    ],
    [() => fromFile(`{ "mcpServers": { "a b": { "command": "c" } } }`), "mcpServers"],
  ];
  for (const [loading, text] of cases) {
    const error = await assertRejects(loading, AgentError);
    assertEquals(error.kind, "config");
    assertStringIncludes(error.message, text);
  }
});

Deno.test("private hosts are named one by one in the file; there are none by default", async () => {
  assertEquals((await buildConfig({}, HOME, "linux")).fetch, { allowPrivate: [] });
  const file = `{ "fetch": { "allowPrivate": ["localhost:3000", "10.0.0.5", "[::1]:80"] } }`;
  assertEquals((await fromFile(file)).fetch.allowPrivate, ["localhost:3000", "10.0.0.5", "[::1]:80"]);
});

Deno.test("a config cannot be changed", async () => {
  assert(Object.isFrozen(await buildConfig({}, HOME, "linux")));
});

Deno.test("the file says of models what their windows are and which of them see", async () => {
  const file = (models: string) => `{"models": ${models}}`;
  const config = await fromFile(file('{"work/a/b": {"vision": true, "window": 9000}, "c": {}}'));
  assertEquals(config.models, { "work/a/b": { vision: true, window: 9000 }, "c": {} });
  await assertRejects(() => fromFile(file('{"a": {"sight": true}}')), AgentError, "models.a");
});

Deno.test("MCP servers come from the file, and are trusted only if it says so", async () => {
  const { mcpServers } = await fromFile(`{ "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "x"], "env": { "A": "b" }, "trust": true, "timeoutMs": 5 },
    "web": { "url": "https://example.com/mcp", "headers": { "X": "y" } },
    "old": { "url": "http://127.0.0.1:1/sse", "type": "sse" },
  } }`);
  assertEquals(mcpServers, [
    {
      name: "files",
      transport: { kind: "stdio", command: "npx", args: ["-y", "x"], env: { A: "b" } },
      trusted: true,
      timeoutMs: 5,
    },
    {
      name: "web",
      transport: { kind: "http", url: "https://example.com/mcp", headers: { X: "y" } },
      trusted: false,
      timeoutMs: undefined,
    },
    {
      name: "old",
      transport: { kind: "sse", url: "http://127.0.0.1:1/sse", headers: {} },
      trusted: false,
      timeoutMs: undefined,
    },
  ]);
  assertEquals((await fromFile("{}")).mcpServers, []);
});
