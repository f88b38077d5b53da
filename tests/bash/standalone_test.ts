import { assertEquals, assertMatch } from "@std/assert";
import { Channel } from "../../src/bash/channel.ts";
import { discoverTools } from "../../src/bash/discover.ts";
import { EXECUTOR_FLAG, launchArgv, launchEnv } from "../../src/bash/launch.ts";
import type { FromExecutor } from "../../src/bash/wire.ts";
import { policyFor } from "../../src/sandbox/policy.ts";
import { denoDirOf } from "../../src/sandbox/own_places.ts";
import { eventually } from "../support/waiting.ts";
import { makePlace } from "./rig.ts";

/**
 * A compiled program cannot be built everywhere. This plays one: a program that has all permissions baked in,
 * knows the private argument, and hands over to the executor's module.
 */
async function writeProgram(path: string): Promise<void> {
  const entry = new URL("../../src/bash/executor.ts", import.meta.url).href;
  const main = `${path}.ts`;
  await Deno.writeTextFile(
    main,
    `import { main } from ${JSON.stringify(entry)};
if (Deno.args[0] !== ${JSON.stringify(EXECUTOR_FLAG)}) Deno.exit(9);
await main(Deno.args.slice(1));`,
  );
  const deno = `'${Deno.execPath()}' run -A --no-prompt --no-check --no-config --no-lock '${main}'`;
  await Deno.writeTextFile(path, `#!/bin/sh\nexec ${deno} "$@"\n`, { mode: 0o755 });
}

Deno.test("a compiled program becomes an executor that only the kernel confines", async () => {
  await using place = await makePlace();
  await Deno.mkdir(`${place.home}/.ssh`);
  await Deno.writeTextFile(`${place.home}/.ssh/id`, "secret");
  const program = `${place.root}/dsh-acp`;
  await writeProgram(program);
  const { policy } = policyFor({ ...place, preset: "workspace", cwd: place.workspace });
  const plan = {
    policy,
    program,
    standalone: true,
    entry: "",
    denoDir: denoDirOf(Deno.env.toObject(), Deno.env.get("HOME")!),
    tools: await discoverTools({ PATH: "/usr/bin:/bin" }),
    tag: 300_000,
  };
  const heard: FromExecutor[] = [];
  const channel = new Channel(launchArgv(plan, "confine"), launchEnv(plan), (message) => heard.push(message));
  await channel.send({ op: "init", env: { PATH: "/usr/bin:/bin" }, marker: "test" });
  await channel.send({ op: "run", id: 1, command: `cat ${place.home}/.ssh/id`, cwd: "/", timeoutMs: 20_000 });
  await channel.send({ op: "read", id: 2, path: `${place.home}/.ssh/id`, maxBytes: 9 });
  await channel.send({ op: "stat", id: 3, path: place.home });
  const said = (ev: string) => heard.find((message) => message.ev === ev);
  await eventually("all answers", () => ["ended", "fault", "stat"].every((ev) => said(ev) !== undefined));
  await channel.close();
  assertEquals(said("ready"), {
    ev: "ready",
    layers: ["env-scrub", "landlock", "seccomp", "capabilities"],
    missing: [],
  });
  assertMatch(JSON.stringify(said("output")), /Permission denied/);
  assertEquals((await channel.ended).abnormal, false);
});
