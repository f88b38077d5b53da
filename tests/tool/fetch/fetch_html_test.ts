import { assertEquals, assertRejects } from "@std/assert";
import { markdownOf } from "../../../src/tool/fetch/fetch_html.ts";
import { eventually } from "../../support/waiting.ts";

const BASE = new URL("https://a.test/");
/** Two megabytes of this take minutes. */
const SLOW = "<blockquote>".repeat(300) + "x<br>".repeat(100_000);

Deno.test("a page becomes Markdown in a thread of its own", async () => {
  const { signal } = new AbortController();
  assertEquals(await markdownOf("<title>T</title><b>x</b>", BASE, signal), { title: "T", text: "**x**" });
});

Deno.test({
  name: "a page that nobody waits for any more has no thread that goes on",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const cancel = new AbortController();
    const page = markdownOf(SLOW, BASE, cancel.signal);
    await eventually("the thread", () => workers() > 0);
    cancel.abort(new Error("stopped"));
    await assertRejects(() => page, Error, "stopped");
    await eventually("the thread to end", () => workers() === 0);
  },
});

Deno.test("a cancelled page is not begun", async () => {
  await assertRejects(() => markdownOf("x", BASE, AbortSignal.abort(new Error("stopped"))), Error, "stopped");
});

function workers(): number {
  return [...Deno.readDirSync("/proc/self/task")].filter(({ name }) => {
    try {
      return Deno.readTextFileSync(`/proc/self/task/${name}/comm`).startsWith("worker");
    } catch {
      return false; // it has just ended
    }
  }).length;
}
