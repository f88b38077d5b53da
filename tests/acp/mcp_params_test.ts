import { assertEquals, assertThrows } from "@std/assert";
import { mcpServersOf } from "../../src/acp/mcp_params.ts";
import { AgentError } from "../../src/errors.ts";

Deno.test("mcpServersOf() reads each kind of server, and trusts none", () => {
  const pair = [{ name: "A", value: "b" }];
  assertEquals(
    mcpServersOf([
      { name: "one", command: "c", args: ["x"], env: pair, trust: true },
      { type: "http", name: "two", url: "http://x", headers: pair },
      { type: "sse", name: "three", url: "http://y", headers: [] },
      { name: "one", command: "another", args: [], env: [] },
    ]),
    [
      {
        name: "one",
        transport: { kind: "stdio", command: "c", args: ["x"], env: { A: "b" } },
        trusted: false,
      },
      { name: "two", transport: { kind: "http", url: "http://x", headers: { A: "b" } }, trusted: false },
      { name: "three", transport: { kind: "sse", url: "http://y", headers: {} }, trusted: false },
    ],
  );
  assertEquals([mcpServersOf(undefined), mcpServersOf(null), mcpServersOf([])], [[], [], []]);
});

Deno.test("mcpServersOf() names what is wrong, and none of the values", () => {
  const cases: [unknown, string][] = [
    ["x", "must be a list of servers"],
    [[null], "each with a name"],
    [[{ name: "s" }], 'has no command for "s"'],
    [[{ name: "s", type: "http" }], 'has no url for "s"'],
    [[{ name: "s", type: "acp", id: "x" }], "there are stdio, http and sse"],
    [[{ name: "s", command: "c", args: [1] }], 'args of "s"'],
    [[{ name: "s", command: "c", args: [], env: [{ name: "KEY", value: 5 }] }], 'env of "s"'],
    [[{ name: "s", type: "sse", url: "http://x", headers: { Secret: "4711" } }], 'headers of "s"'],
  ];
  for (const [servers, said] of cases) {
    const error = assertThrows(() => mcpServersOf(servers), AgentError, said);
    assertEquals([error.kind, error.message.includes("4711")], ["invalid-params", false]);
  }
});
