import { assert, assertEquals, assertThrows } from "@std/assert";
import { EXECUTOR_FLAG, firstStage, launchArgv, launchEnv, type LaunchPlan } from "../../src/bash/launch.ts";
import { AgentError } from "../../src/errors.ts";
import { policyFor } from "../../src/sandbox/policy.ts";

const INPUT = {
  preset: "workspace",
  cwd: "/ws",
  home: "/home/me",
  stateDir: "/home/me/.local/state/dsh-acp",
  tempDir: "/home/me/.local/state/dsh-acp/tmp/s1",
  realPath: (path: string) => path,
} as const;

function planWith(more: Partial<LaunchPlan> = {}): LaunchPlan {
  return {
    policy: policyFor(INPUT).policy,
    program: "/usr/bin/deno",
    standalone: false,
    entry: "file:///opt/dsh/src/bash/executor.ts",
    denoDir: "/home/me/.cache/deno",
    tools: { bash: "/usr/bin/bash", setsid: "/usr/bin/setsid", libc: "/lib/libc.so.6" },
    tag: 300_000,
    ...more,
  };
}

const flag = (argv: string[], name: string) => argv.find((a) => a === name || a.startsWith(name + "="));

Deno.test("launchArgv() scopes the serving stage to the policy", () => {
  const argv = launchArgv(planWith(), "serve");
  assertEquals(argv.slice(0, 2), ["/usr/bin/deno", "run"]);
  assertEquals(flag(argv, "--allow-run"), "--allow-run=/usr/bin/bash,/usr/bin/setsid");
  assertEquals(flag(argv, "--allow-write"), `--allow-write=/ws,${INPUT.tempDir}`);
  assertEquals(flag(argv, "--allow-ffi"), "--allow-ffi=/lib/libc.so.6");
  assertEquals(flag(argv, "--allow-read"), "--allow-read");
  const denied = flag(argv, "--deny-read")!;
  assert(denied.includes("/home/me/.ssh,"));
  assert(!denied.includes(INPUT.stateDir)); // it holds the temporary directory
  for (const none of ["--allow-net", "--allow-env", "--allow-sys", "--allow-all", "-A"]) {
    assertEquals(flag(argv, none), undefined);
  }
  for (const each of ["--no-prompt", "--no-config", "--no-lock", "--no-check", "--no-npm", "--no-remote"]) {
    assert(argv.includes(each), each);
  }
});

Deno.test("launchArgv() lets ripgrep be started where there is one", () => {
  const tools = { bash: "/usr/bin/bash", rg: "/home/me/.cargo/bin/rg" };
  assertEquals(
    flag(launchArgv(planWith({ tools }), "serve"), "--allow-run"),
    "--allow-run=/usr/bin/bash,/home/me/.cargo/bin/rg",
  );
  assertEquals(flag(launchArgv(planWith({ tools }), "confine"), "--allow-run"), undefined);
});

Deno.test("launchArgv() lets the confining stage read and call libc, nothing else", () => {
  const argv = launchArgv(planWith(), "confine");
  const allowed = argv.filter((a) => a.startsWith("--allow"));
  assertEquals(allowed, ["--allow-read", "--allow-ffi=/lib/libc.so.6"]);
});

Deno.test("launchArgv() takes a registry's module from the cache", () => {
  const argv = launchArgv(planWith({ entry: "https://jsr.io/@dsh/acp/0.1.0/src/bash/executor.ts" }), "serve");
  assert(argv.includes("--cached-only") && !argv.includes("--no-remote"));
});

Deno.test("launchArgv() starts a compiled program by its private argument", () => {
  const argv = launchArgv(planWith({ standalone: true, program: "/opt/dsh-acp" }), "confine");
  assertEquals(argv.slice(0, 3), ["/opt/dsh-acp", EXECUTOR_FLAG, "confine"]);
  assertEquals(JSON.parse(argv[3]!), planWith({ standalone: true, program: "/opt/dsh-acp" }));
});

Deno.test("launchArgv() leaves a flag that cannot say a comma to the kernel, else refuses by name", () => {
  const { policy } = policyFor({ ...INPUT, cwd: "/a,b" });
  assertEquals(flag(launchArgv(planWith({ policy }), "serve"), "--allow-write"), "--allow-write");
  const free = policyFor({ ...INPUT, preset: "full-access" }).policy;
  const tools = { bash: "/odd,place/bash" };
  assertThrows(() => launchArgv(planWith({ policy: free, tools }), "serve"), AgentError, "/odd,place/bash");
});

Deno.test("an unconfined executor starts as its serving stage, with all files", () => {
  const { policy } = policyFor({ ...INPUT, preset: "full-access" });
  assertEquals([firstStage(planWith({ policy })), firstStage(planWith())], ["serve", "confine"]);
  assertEquals(firstStage(planWith({ inNamespaces: true })), "serve");
  const argv = launchArgv(planWith({ policy }), "serve");
  assertEquals([flag(argv, "--allow-write"), flag(argv, "--deny-read")], ["--allow-write", undefined]);
});

Deno.test("launchEnv() holds nothing of the agent's", () => {
  assertEquals(Object.keys(launchEnv(planWith())).sort(), ["DENO_DIR", "DENO_NO_UPDATE_CHECK", "NO_COLOR"]);
});
