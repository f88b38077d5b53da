import { assertEquals } from "@std/assert";
import { toRequestError } from "../../src/acp/errors.ts";
import { AgentError } from "../../src/errors.ts";
import { ModelError } from "../../src/model/model.ts";

Deno.test("each kind of failure has its code; the message is one line and free of secrets", () => {
  const cases: [unknown, number][] = [
    [new AgentError("invalid-params", "a\nb"), -32602],
    [new ModelError("auth", "no key"), -32000],
    [new ModelError("payment", "no balance"), -32603],
    [new AgentError("store", "full"), -32603],
    [new DOMException("stop", "AbortError"), -32800],
    [new TypeError("boom sk-secret-1\n  at x.ts"), -32603],
    ["text", -32603],
  ];
  for (const [thrown, code] of cases) {
    const error = toRequestError(thrown, ["sk-secret-1"]);
    assertEquals(error.code, code);
    assertEquals(/\n|sk-secret/.test(JSON.stringify([error.message, error.data])), false);
    assertEquals(error.data, { details: error.message });
  }
});

Deno.test("an unknown session is told by its id alone", () => {
  const error = toRequestError(new AgentError("session-not-found", "x", { data: { sessionId: "s" } }), []);
  assertEquals([error.code, error.data], [-32002, { sessionId: "s" }]);
});
