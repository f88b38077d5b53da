import { assert, assertEquals } from "@std/assert";
import { Channel } from "../../../src/bash/channel.ts";
import { launchArgv, launchEnv } from "../../../src/bash/launch.ts";
import type { FromExecutor } from "../../../src/bash/wire.ts";
import { denoDirOf } from "../../../src/sandbox/own_places.ts";
import { policyFor } from "../../../src/sandbox/policy.ts";
import { processesRunning } from "../../support/process_tree.ts";
import { eventually } from "../../support/waiting.ts";
import { makePlace, uniqueSleep } from "../rig.ts";

Deno.test("an executor without system calls and setsid(1), as on macOS, runs with full access", async () => {
  await using place = await makePlace();
  await Deno.writeTextFile(`${place.workspace}/a`, "text");
  const plan = {
    policy: policyFor({ ...place, preset: "full-access", cwd: place.workspace }).policy,
    ...{ program: Deno.execPath(), standalone: false, tools: { bash: "/bin/bash" }, tag: 300_002 },
    entry: new URL("../../../src/bash/executor.ts", import.meta.url).href,
    denoDir: denoDirOf(Deno.env.toObject(), Deno.env.get("HOME")!),
  };
  const heard: FromExecutor[] = [];
  const channel = new Channel(launchArgv(plan, "serve"), launchEnv(plan), (message) => heard.push(message));
  const nap = uniqueSleep();
  const cwd = place.workspace;
  await channel.send({ op: "init", env: { PATH: "/usr/bin:/bin" }, marker: "test" });
  await channel.send({ op: "run", id: 1, command: "cat a; exit 3", cwd, timeoutMs: 20_000 });
  await channel.send({ op: "run", id: 2, command: `sleep ${nap} & sleep ${nap}`, cwd, timeoutMs: 300 });
  await channel.send({ op: "read", id: 3, path: `${cwd}/a`, maxBytes: 9 });
  const ended = (id: number) => heard.find((m) => m.ev === "ended" && m.id === id);
  await eventually("both ends", () => ended(1) !== undefined && ended(2) !== undefined);
  const [first, second] = [ended(1), ended(2)];
  assert(first?.ev === "ended" && second?.ev === "ended");
  assertEquals([first.result.exit, second.result.stopped], [{ code: 3 }, "timeout"]);
  assertEquals(processesRunning(nap), []);
  assert(heard.some((m) => m.ev === "content" && m.base64 === "dGV4dA=="));
  await channel.close();
  assertEquals((await channel.ended).abnormal, false);
});
