import { assert, assertEquals, assertRejects } from "@std/assert";
import { startExecutor } from "../../src/bash/host.ts";
import { AgentError } from "../../src/errors.ts";
import { silentLog } from "../../src/log.ts";
import { policyFor } from "../../src/sandbox/policy.ts";
import { within } from "../support/waiting.ts";
import { environmentIn, makePlace, type Place, runIn } from "./rig.ts";

function startLying(place: Place, lie: string) {
  const { policy } = policyFor({ ...place, preset: "workspace", cwd: place.workspace });
  const entry = new URL(`./lying_executor.ts#${encodeURIComponent(lie)}`, import.meta.url).href;
  const environment = environmentIn(place.home);
  return startExecutor({
    policy,
    environment,
    envPass: [],
    home: Deno.env.get("HOME")!,
    log: silentLog,
    entry,
  });
}

Deno.test("an executor that does not get ready as it must runs nothing", async (t) => {
  const cases: [lie: string, message: string][] = [
    ["no layers", "lacks landlock, seccomp, capabilities"],
    ["unknown layer", "malformed message (ready)"],
    ["garbage", "no JSON"],
    ["fatal", "no Landlock here"],
    ["silent end", "ended with exit code 0"],
  ];
  await using place = await makePlace();
  for (const [lie, message] of cases) {
    await t.step(lie, async () => {
      const error = await assertRejects(() => startLying(place, lie), AgentError, message);
      assertEquals(error.kind, "sandbox");
    });
  }
});

Deno.test("an executor that lies later is ended, and who waits is told", async (t) => {
  const lies = ["unknown id", "wrong shape", "extra field", "foreign spill", "flood", "file for a command"]
    .concat(["found for a command", "ready twice", "prototype", "endless line"]);
  await using place = await makePlace();
  for (const lie of lies) {
    await t.step(lie, async () => {
      const executor = await startLying(place, lie);
      const ran = await runIn(executor, place.workspace, "true");
      assertEquals([ran.exit, ran.spillPath], [{ signal: "SIGKILL" }, undefined]);
      assert(ran.output.length <= 400_000);
      assert(executor.closed);
      await executor.close();
    });
  }
});

Deno.test("an executor that finds what cannot be is ended, one that tells the truth is not", async (t) => {
  const lies = ["outside", "outside by dots", "outside by a name", "too many", "more than all", "too long"]
    .concat(["other kind", "line zero", "unknown field", "no list", "unknown stop"]);
  await using place = await makePlace();
  const text = { pattern: "x", give: "lines", before: 0, after: 0 } as const;
  const plain = { ignoreCase: false, fixed: false, multiline: false };
  const request = { path: "/ws", text: { ...text, ...plain }, skip: 0, limit: 2, timeoutMs: 1000 };
  const search = async (lie: string) => {
    const executor = await startLying(place, lie);
    const found = await executor.search(request, new AbortController().signal).catch((thrown) => thrown);
    const { closed } = executor;
    await executor.close();
    return { found, closed };
  };
  await t.step("the truth", async () => {
    const { found, closed } = await search("the truth");
    assertEquals([found.entries, closed], [[{ path: "/ws/a", line: 1, text: "x" }], false]);
  });
  for (const lie of lies) {
    await t.step(lie, async () => {
      const { found, closed } = await search(lie);
      assert(found instanceof AgentError && found.kind === "sandbox" && closed, `${found}`);
    });
  }
});

Deno.test("an executor that goes on searching when it is cancelled is ended, and who waits is told", async () => {
  await using place = await makePlace();
  const executor = await startLying(place, "deaf");
  const cancel = new AbortController();
  const request = { path: place.workspace, skip: 0, limit: 2, timeoutMs: 20_000 };
  const found = executor.search(request, cancel.signal);
  cancel.abort();
  await within("the end of the search", assertRejects(() => found, AgentError, "after it was cancelled"));
  assert(executor.closed);
  await executor.close();
});

Deno.test("an executor that lies about a directory is ended, and who asked is told", async (t) => {
  const lies = ["listing with a path", "listing of a new kind", "endless listing", "stat for a listing"];
  await using place = await makePlace();
  for (const lie of lies) {
    await t.step(lie, async () => {
      const executor = await startLying(place, lie);
      await assertRejects(() => executor.list(place.workspace), AgentError);
      assert(executor.closed);
      await executor.close();
    });
  }
});

Deno.test("an executor that lies about a removal is ended, and who asked is told", async (t) => {
  await using place = await makePlace();
  for (const lie of ["more than removed", "stat for a listing"]) {
    await t.step(lie, async () => {
      const executor = await startLying(place, lie);
      await assertRejects(() => executor.remove(`${place.workspace}/a`), AgentError);
      assert(executor.closed);
      await executor.close();
    });
  }
});
