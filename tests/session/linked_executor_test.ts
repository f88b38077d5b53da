import { assertEquals } from "@std/assert";
import { throughLink } from "../../src/session/linked_executor.ts";
import { FakeExecutor } from "../support/fake_executor.ts";

const REQUEST = { skip: 0, limit: 9, timeoutMs: 1 };
const GO = new AbortController().signal;

Deno.test("a file below a link is removed below what it leads to", async () => {
  const inner = new FakeExecutor();
  inner.files.set("/real/ws/a", "x").set("/linked", "x");
  const linked = throughLink(inner, "/link", "/real/ws");
  for (const path of ["/link/a", "/linked"]) await linked.remove(path, "x");
  assertEquals([...inner.files.keys()], []);
});

Deno.test("a search below a link is made below what it leads to, and told below the link", async () => {
  const inner = new FakeExecutor();
  inner.found = ({ path }) =>
    Promise.resolve({ entries: [{ path: `${path}/a`, line: 1, text: "x" }], total: 1, unreadable: false });
  const linked = throughLink(inner, "/link", "/real/ws");
  for (
    const [path, asked] of [["/link/src", "/real/ws/src"], ["/link", "/real/ws"], ["/linked", "/linked"]]
  ) {
    const { entries } = await linked.search({ ...REQUEST, path: path! }, GO);
    assertEquals([inner.searches.at(-1)!.path, entries[0]!.path], [asked!, `${path}/a`]);
  }
});
