import { assertEquals, assertStringIncludes } from "@std/assert";
import plugin, { importFault } from "./layers_plugin.ts";

function messages(path: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, path, source).map((d) => d.message);
}

Deno.test("a room may import from the rooms below it and from itself", () => {
  assertEquals(importFault("src/tool/bash.ts", "../bash/executor_handle.ts"), undefined);
  assertEquals(importFault("src/tool/bash.ts", "./tool.ts"), undefined);
  assertEquals(importFault("mod.ts", "./src/cli.ts"), undefined);
});

Deno.test("a room may not import from a room above it", () => {
  assertStringIncludes(
    importFault("src/bash/host.ts", "../session/session.ts") ?? "",
    "bash lies below session",
  );
  assertStringIncludes(
    importFault("src/model/model.ts", "../sandbox/policy.ts") ?? "",
    "model lies below sandbox",
  );
});

Deno.test("a folder that is no room is refused", () => {
  assertStringIncludes(importFault("src/helpers/x.ts", "../errors.ts") ?? "", "no room");
});

Deno.test("only the protocol's rooms may import the SDK", () => {
  assertEquals(importFault("src/presentation/presenter.ts", "@agentclientprotocol/sdk"), undefined);
  assertStringIncludes(importFault("src/session/turn.ts", "@agentclientprotocol/sdk") ?? "", "SDK");
});

Deno.test("only models, the fetch tool and MCP may import what opens connections", () => {
  assertEquals(importFault("src/tool/fetch_request.ts", "node:https"), undefined);
  assertStringIncludes(importFault("src/tool/read.ts", "node:https") ?? "", "network");
  assertStringIncludes(importFault("src/session/turn.ts", "node:net") ?? "", "network");
});

Deno.test("the plugin reports imports, re-exports and dynamic imports alike", () => {
  const source =
    `import "../acp/serve.ts"; export * from "../acp/serve.ts"; await import("../acp/serve.ts");`;
  assertEquals(messages("/repo/src/session/x.ts", source).length, 3);
  assertEquals(messages("/repo/src/cli.ts", source.replaceAll("../", "./")).length, 0);
});

Deno.test("processes, the environment and the network belong to their rooms", () => {
  const source = `new Deno.Command("x"); Deno.env.get("A"); fetch("http://x");`;
  assertEquals(messages("/repo/src/session/x.ts", source).length, 3);
  assertEquals(messages("/repo/src/bash/x.ts", source).length, 2);
  assertEquals(messages("/repo/src/config/x.ts", source).length, 2);
  assertEquals(messages("/repo/src/model/x.ts", source).length, 2);
});
