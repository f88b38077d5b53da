import { assert, assertEquals, assertRejects } from "@std/assert";
import type { CommandResult, Executor } from "../../src/bash/executor_handle.ts";
import { ExecutorPool } from "../../src/bash/pool.ts";
import { AgentError } from "../../src/errors.ts";
import { silentLog } from "../../src/log.ts";
import { type Policy, policyFor } from "../../src/sandbox/policy.ts";
import { eventually, pause } from "../support/waiting.ts";

const RESULT: CommandResult = {
  ...{ exit: { code: 0 }, stopped: undefined, totalBytes: 0, omittedBytes: 0, tail: "" },
  ...{ spillPath: undefined, strays: 0, durationMs: 0 },
};

/** An executor that runs nothing; a command ends when `finish` is called. */
class FakeExecutor implements Executor {
  readonly report = { preset: "workspace", enforcement: "partial", layers: [], missing: [] } as const;
  closed = false;
  #finish = Promise.withResolvers<CommandResult>();
  finish = () => this.#finish.resolve(RESULT);
  run = () => this.#finish.promise;
  readFile = () => Promise.reject(new Error("none"));
  readRange = () => Promise.reject(new Error("none"));
  list = () => Promise.reject(new Error("none"));
  writeFile = () => Promise.reject(new Error("none"));
  remove = () => Promise.reject(new Error("none"));
  stat = () => Promise.resolve({ kind: "missing", size: 0, version: "missing" } as const);
  search = () => Promise.reject(new Error("none"));
  resolve = (path: string) => Promise.resolve({ path, readable: true, writable: true });
  close = () => {
    this.closed = true;
    this.finish();
    return Promise.resolve();
  };
}

function makePool(idleMs = 60_000, fail: () => boolean = () => false) {
  const started: FakeExecutor[] = [];
  const start = async () => {
    await pause(5);
    if (fail()) throw new AgentError("sandbox", "no bash");
    const executor = new FakeExecutor();
    started.push(executor);
    return executor;
  };
  const pool = new ExecutorPool({ environment: {}, envPass: [], home: "/h", log: silentLog, idleMs, start });
  return { pool, started };
}

function policy(preset: Policy["preset"]): Policy {
  const place = { cwd: "/ws", home: "/h", stateDir: "/h/state", tempDir: "/h/state/tmp", realPath: String };
  return policyFor({ preset, ...place }).policy;
}

const run = (executor: Executor) =>
  executor.run({ command: "", cwd: "/", timeoutMs: 1 }, () => {}, new AbortController().signal);

Deno.test("ExecutorPool starts one executor for each policy, shared while it starts", async () => {
  const { pool, started } = makePool();
  await Promise.all([
    pool.get(policy("workspace")),
    pool.get(policy("workspace")),
    pool.get(policy("read-only")),
  ]);
  await pool.get(policy("workspace"));
  assertEquals(started.length, 2);
  await pool.close();
  assert(started.every((executor) => executor.closed));
});

Deno.test("ExecutorPool starts anew after a death and after a failed start", async () => {
  let fail = true;
  const { pool, started } = makePool(60_000, () => fail);
  await assertRejects(() => pool.get(policy("workspace")), AgentError, "no bash");
  fail = false;
  await pool.get(policy("workspace"));
  started[0]!.closed = true;
  await pool.get(policy("workspace"));
  assertEquals(started.length, 2);
  await pool.close();
});

Deno.test("ExecutorPool stops what is idle, never what runs", async () => {
  const { pool, started } = makePool(30);
  const executor = await pool.get(policy("workspace"));
  const running = run(executor);
  await pause(100);
  assert(!started[0]!.closed);
  started[0]!.finish();
  await running;
  await eventually("the idle executor's end", () => started[0]!.closed);
  await pool.get(policy("workspace"));
  assertEquals(started.length, 2);
  await pool.close();
});

Deno.test("ExecutorPool.close() ends what is still starting and takes no more", async () => {
  const { pool, started } = makePool();
  const starting = pool.get(policy("workspace")).catch(() => {});
  await pool.close();
  await starting;
  assert(started[0]!.closed);
  await assertRejects(() => pool.get(policy("workspace")), AgentError, "closed");
});
