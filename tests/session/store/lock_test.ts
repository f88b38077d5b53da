import { assertEquals, assertThrows } from "@std/assert";
import { AgentError } from "../../../src/errors.ts";
import { lockSession } from "../../../src/session/store/lock.ts";

Deno.test("a session is taken once, and again when it is let go", async () => {
  const dir = await Deno.makeTempDir();
  const first = lockSession(dir, "sess_a");
  const error = assertThrows(() => lockSession(dir, "sess_a"), AgentError, "open in another process");
  assertEquals(error.data, { sessionId: "sess_a" });
  lockSession(dir, "sess_b").release();
  first.release();
  lockSession(dir, "sess_a").release();
  assertEquals(await Array.fromAsync(Deno.readDir(`${dir}/locks`)), []);
  await Deno.remove(dir, { recursive: true });
});
