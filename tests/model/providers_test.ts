import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ProviderConfig } from "../../src/config/config.ts";
import { AgentError } from "../../src/errors.ts";
import { CATALOGUE, windowOf } from "../../src/model/catalogue.ts";
import { findLocalModel } from "../../src/model/local_server.ts";
import { ModelError } from "../../src/model/model.ts";
import { modelName, openModel, resolveModel } from "../../src/model/providers.ts";
import { configOf, KEY, never, rejection, serve } from "./support.ts";

type Providers = Record<string, ProviderConfig>;
const NONE: Providers = { deepseek: { kind: "deepseek" }, demo: { kind: "demo" } };
const DEEPSEEK: Providers = { deepseek: { kind: "deepseek", apiKey: KEY }, demo: { kind: "demo" } };
const OPENAI: Providers = { ...NONE, "openai-compatible": { kind: "openai-compatible", apiKey: KEY } };
const LOCAL: Providers = { ...NONE, box: { kind: "openai-compatible", baseURL: "http://127.0.0.1:1/v1" } };

const RESOLVED: [string | undefined, Providers, string | undefined][] = [
  [undefined, NONE, undefined],
  [undefined, DEEPSEEK, "deepseek/deepseek-flash"],
  [undefined, OPENAI, undefined],
  [undefined, { ...OPENAI, work: { kind: "deepseek", apiKey: KEY } }, "work/deepseek-flash"],
  ["deepseek/deepseek-v4-pro", NONE, "deepseek/deepseek-v4-pro"],
  ["openai-compatible/qwen/qwen3-coder:free", OPENAI, "openai-compatible/qwen/qwen3-coder:free"],
  ["nobody/knows", NONE, "nobody/knows"],
  ["deepseek-v4-pro", DEEPSEEK, "deepseek/deepseek-v4-pro"],
  ["deepseek-v4-pro", NONE, "deepseek/deepseek-v4-pro"],
  ["qwen3", LOCAL, "box/qwen3"],
  ["demo", NONE, "demo/demo"],
];
for (const [id, providers, expected] of RESOLVED) {
  Deno.test(`resolveModel() makes ${expected} of ${id} with ${Object.keys(providers)}`, () => {
    const ref = resolveModel(configOf(providers, id));
    assertEquals(ref && modelName(ref), expected);
  });
}

for (const id of ["", "/", "deepseek/", "/x", "qwen3"]) {
  Deno.test(`resolveModel() refuses ${JSON.stringify(id)} and says how it is written`, async () => {
    const error = await rejection(Promise.try(() => resolveModel(configOf(NONE, id))));
    assert(error instanceof AgentError && error.kind === "config");
    assertMatch(error.message, /write provider\/model, e\.g\. deepseek\/deepseek-flash/);
  });
}

Deno.test("openModel() names the known providers where it does not know one", async () => {
  const error = await rejection(openModel({ provider: "nobody", model: "x" }, configOf(DEEPSEEK)));
  assert(error instanceof AgentError && error.kind === "config");
  assertEquals(
    error.message,
    'There is no provider "nobody" (model nobody/x); known: deepseek, demo, openai-compatible, ollama, ' +
      "lm-studio, llama.cpp.",
  );
});

const KEYLESS: [string, Providers, RegExp][] = [
  [
    "deepseek",
    NONE,
    /^No key for DeepSeek: run dsh-acp login, or set DEEPSEEK_API_KEY, or choose another model with DSH_MODEL or --model\.$/,
  ],
  ["openai-compatible", NONE, /set OPENAI_API_KEY, or OPENAI_BASE_URL/],
  ["work", { work: { kind: "deepseek" } }, /apiKeyEnv of provider "work" in the config file/],
];
for (const [provider, providers, message] of KEYLESS) {
  Deno.test(`openModel() says which key ${provider} misses`, async () => {
    const error = await rejection(openModel({ provider, model: "x" }, configOf(providers)));
    assert(error instanceof ModelError && error.fault === "auth" && error.kind === "auth-required");
    assertMatch(error.message, message);
  });
}

for (const provider of ["box", "ollama", "lm-studio", "llama.cpp", "demo"]) {
  Deno.test(`openModel() wants no key for ${provider}`, async () => {
    const model = await openModel({ provider, model: "demo" }, configOf(LOCAL));
    assert(model.ref.model === "demo");
  });
}

Deno.test("windowOf() knows the listed models and no others", () => {
  assertEquals(windowOf("deepseek-flash"), 1_000_000);
  assertEquals(windowOf("some/model"), undefined);
  assertEquals(new Set(CATALOGUE.map((entry) => modelName(entry.ref))).size, CATALOGUE.length);
});

Deno.test("findLocalModel() takes the first chat model of the first server that has one", async () => {
  await using page = serve(() => new Response("<html>", { headers: { "content-type": "text/html" } }));
  await using empty = serve(() => Response.json({ object: "list", data: [] }));
  await using full = serve(() =>
    Response.json({ data: [{ id: "text-embedding-nomic" }, { id: "qwen3:8b" }, { id: "other" }] })
  );
  await using silent = serve((_request, _n, stopped) => never(stopped));
  const servers = Object.entries({ page, empty, full, silent })
    .map(([name, { baseURL }]) => ({ name, baseURL }));
  const found = await findLocalModel({ servers, timeoutMs: 500 });
  assertEquals(found, { ref: { provider: "full", model: "qwen3:8b" }, baseURL: full.baseURL });
  assertEquals(full.requests[0]?.path, "/v1/models");
});

Deno.test("findLocalModel() finds nothing where nobody listens", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const servers = [{ name: "none", baseURL: `http://127.0.0.1:${port}/v1` }];
  assertEquals(await findLocalModel({ servers }), undefined);
});

Deno.test("no adapter is loaded before a model is asked: its imports are dynamic or types", async () => {
  const room = new URL("../../src/model/", import.meta.url);
  for await (const file of Deno.readDir(room)) {
    const text = await Deno.readTextFile(new URL(file.name, room));
    const imports = text.match(/^import [^;]*?"@ai-sdk[^;]*;/gms) ?? [];
    assertEquals(imports.filter((line) => !line.startsWith("import type ")), [], file.name);
  }
});
