import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import type { CommandResult } from "../../src/bash/executor_handle.ts";
import {
  JOB_TIMEOUT_MS,
  type JobEnd,
  JobError,
  type JobName,
  JobTable,
  MAX_RUNNING_JOBS,
} from "../../src/bash/jobs.ts";
import { AgentError } from "../../src/errors.ts";
import { FakeExecutor } from "../support/fake_executor.ts";

const NEVER = new AbortController().signal;

/** A table whose jobs run until they are told to end. */
function fixture(before = 0) {
  const executor = new FakeExecutor();
  const started: JobName[] = [];
  const told: JobEnd[] = [];
  const table = new JobTable({
    before,
    journal: { started: (job) => started.push(job), ended: (end) => told.push(end) },
  });
  const emits = new Map<string, (text: string) => void>();
  const ends = new Map<string, PromiseWithResolvers<Partial<CommandResult>>>();
  executor.behave = (command, emit, signal) => {
    const end = Promise.withResolvers<Partial<CommandResult>>();
    signal.addEventListener(
      "abort",
      () => end.resolve({ stopped: "cancelled", exit: { signal: "SIGTERM" } }),
    );
    emits.set(command, emit);
    ends.set(command, end);
    return end.promise;
  };
  const start = (command: string) => table.start(executor, { command, cwd: "/w" });
  const end = async (command: string, result: Partial<CommandResult> = {}) => {
    ends.get(command)!.resolve(result);
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { executor, table, started, told, emits, ends, start, end };
}

Deno.test("jobs are named in order, and no name is used twice in a session", () => {
  const fresh = fixture();
  assertEquals([fresh.start("a"), fresh.start("b")], ["job1", "job2"]);
  assertEquals(fresh.started, [{ job: "job1", command: "a" }, { job: "job2", command: "b" }]);
  assertEquals(fixture(2).start("c"), "job3");
});

Deno.test("read() gives output once, and the end when it has come", async () => {
  const { table, start, end, emits } = fixture();
  const job = start("serve");
  emits.get("serve")!("ready\n");
  const first = table.read(job);
  assertEquals([first.output.head, first.outcome], ["ready\n", undefined]);
  assertEquals(table.read(job).output.head, "");
  emits.get("serve")!("bye\n");
  await end("serve", { exit: { code: 3 }, durationMs: 7 });
  const last = table.read(job);
  assertEquals(last.output.head, "bye\n");
  assertEquals(last.outcome, { exit: { code: 3 }, stopped: null, durationMs: 7 });
  assertEquals(table.read(job).output.head, "");
});

Deno.test("the end of a long output comes with the end of its job", async () => {
  const { table, start, end } = fixture();
  const job = start("x");
  await end("x", { omittedBytes: 500, tail: "last\n", spillPath: "/t/spill" });
  const { output, result } = table.read(job);
  assertEquals([output.omittedBytes, output.tail, result?.spillPath], [500, "last\n", "/t/spill"]);
});

Deno.test("wait() is bounded, ends with the job, and with the turn", async () => {
  const { table, start, end } = fixture();
  const job = start("x");
  await table.wait(job, 1, NEVER);
  assertEquals(table.read(job).outcome, undefined);
  const turn = new AbortController();
  const cancelled = table.wait(job, JOB_TIMEOUT_MS, turn.signal);
  turn.abort();
  await cancelled;
  assertEquals(table.read(job).outcome, undefined, "a cancel of the turn does not touch the job");
  await table.wait(job, JOB_TIMEOUT_MS, turn.signal);
  const ended = table.wait(job, JOB_TIMEOUT_MS, NEVER);
  await end("x");
  await ended;
  assert(table.read(job).outcome);
});

Deno.test("kill() ends a job once and says so", async () => {
  const { table, start } = fixture();
  const job = start("x");
  assertEquals(await table.kill(job), true);
  const { outcome } = table.read(job);
  assertEquals(outcome, { exit: { signal: "SIGTERM" }, stopped: "killed", durationMs: 1 });
  assertEquals(await table.kill(job), false);
});

Deno.test("a job of another session is no job here", async () => {
  const mine = fixture();
  const other = fixture(4);
  const job = other.start("secret");
  for (const act of [() => mine.table.wait(job, 1, NEVER), () => mine.table.kill(job)]) {
    assertStringIncludes((await assertRejects(act, JobError)).message, 'There is no job "job5".');
  }
  assertThrows(() => mine.table.read(job), JobError, "There is no job");
  assertEquals(other.table.read(job).outcome, undefined);
});

Deno.test("only so many jobs run at once, and the refusal names them; one that ends makes room", async () => {
  const { start, end, started } = fixture();
  for (let n = 1; n <= MAX_RUNNING_JOBS; n++) start(`${n}`);
  const error = assertThrows(() => start("more"), JobError);
  assertStringIncludes(error.message, `${MAX_RUNNING_JOBS} background jobs run already (job1, job2`);
  assertEquals(started.length, MAX_RUNNING_JOBS);
  await end("1");
  assertEquals(start("more"), `job${MAX_RUNNING_JOBS + 1}`);
});

Deno.test("an end is told once: in a result, or by a report", async () => {
  const { table, start, end, told } = fixture();
  const [a, b] = [start("a"), start("b")];
  start("c");
  await end("a");
  await end("b", { exit: { code: 1 } });
  table.read(a);
  table.read(a);
  assertEquals(told.map((t) => t.job), [a]);
  const reported: string[] = [];
  table.reportEnded((e) => reported.push(e.job));
  table.reportEnded((e) => reported.push(e.job));
  table.read(b);
  assertEquals([reported, told.map((t) => t.job)], [[b], [a]]);
});

Deno.test("a report that cannot be written is made again", async () => {
  const { table, start, end } = fixture();
  start("a");
  await end("a");
  assertThrows(() =>
    table.reportEnded(() => {
      throw new AgentError("store", "disk full");
    }), AgentError);
  const reported: string[] = [];
  table.reportEnded((e) => reported.push(e.job));
  assertEquals(reported, ["job1"]);
});

Deno.test("what cannot be written down is not started", () => {
  const executor = new FakeExecutor();
  const started = () => {
    throw new AgentError("store", "disk full");
  };
  const table = new JobTable({ journal: { started, ended: () => {} } });
  assertThrows(() => table.start(executor, { command: "x", cwd: "/w" }), AgentError, "disk full");
  assertEquals(executor.commands, []);
});

Deno.test("a command that cannot be started is a job that has failed", async () => {
  const { table, executor } = fixture();
  executor.behave = () => Promise.reject(new AgentError("sandbox", "/nope does not exist"));
  const job = table.start(executor, { command: "x", cwd: "/nope" });
  await table.wait(job, JOB_TIMEOUT_MS, NEVER);
  assertEquals(table.read(job).outcome, { failure: "/nope does not exist" });
});

Deno.test("close() ends all jobs, and none can be started after it", async () => {
  const { table, start } = fixture();
  const jobs = [start("a"), start("b")];
  await table.close();
  assertEquals(jobs.map((job) => table.read(job).outcome !== undefined), [true, true]);
  assertThrows(() => start("c"), JobError, "closed");
});

Deno.test("old jobs whose end was told are forgotten, others never", async () => {
  const { table, start, end } = fixture();
  start("untold");
  await end("untold");
  for (let n = 0; n < 40; n++) {
    const job = start(`${n}`);
    await end(`${n}`);
    table.read(job);
  }
  assertThrows(() => table.read("job2"), JobError);
  assert(table.read("job1").outcome);
  assert(table.read("job41").outcome);
});
