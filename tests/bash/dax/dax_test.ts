import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { DaxExecutor } from "../../../src/bash/dax/dax_host.ts";
import { readForDax } from "../../../src/bash/dax/dax_syntax.ts";
import type { CommandResult, Executor } from "../../../src/bash/executor_handle.ts";
import type { Preset } from "../../../src/config/config.ts";
import { AgentError } from "../../../src/errors.ts";
import { silentLog } from "../../../src/log.ts";
import { policyFor } from "../../../src/sandbox/policy.ts";
import { processesRunning } from "../../support/process_tree.ts";
import { denoDir } from "../../support/stage.ts";
import { eventually } from "../../support/waiting.ts";
import { environmentIn, makePlace, type Place } from "../rig.ts";

const NEVER = new AbortController().signal;

interface Fixture extends AsyncDisposable {
  readonly place: Place;
  readonly executor: Executor;
  /** Runs a command as it comes. */
  run(command: string, more?: Partial<Running>): Promise<CommandResult & { output: string }>;
  /** Runs a command that was approved. */
  approved(command: string, more?: Partial<Running>): Promise<CommandResult & { output: string }>;
}

interface Running {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onOutput: (text: string) => void;
}

async function withoutBash(preset: Preset = "workspace"): Promise<Fixture> {
  const place = await makePlace();
  const { home, stateDir, tempDir, workspace } = place;
  const executor = await DaxExecutor.start({
    policy: policyFor({ preset, cwd: workspace, home, stateDir, tempDir }).policy,
    environment: { ...environmentIn(home), DENO_DIR: denoDir(), MY_TOKEN: "geheim-1234567890" },
    envPass: [],
    home,
    log: silentLog,
  });
  const run = async (on: Executor, command: string, more: Partial<Running> = {}) => {
    let output = "";
    const onOutput = (text: string) => {
      output += text;
      more.onOutput?.(text);
    };
    const request = { command, cwd: workspace, timeoutMs: more.timeoutMs ?? 20_000 };
    return { ...await on.run(request, onOutput, more.signal ?? NEVER), output };
  };
  return {
    place,
    executor,
    run: (command, more) => run(executor, command, more),
    approved: async (command, more) =>
      run((await executor.beyond!(command, workspace))!.executor, command, more),
    [Symbol.asyncDispose]: async () => {
      await executor.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

Deno.test("readForDax() names the programs that a command starts", async () => {
  const read = async (command: string) => {
    const result = await readForDax(command);
    return "programs" in result ? { programs: result.programs } : result;
  };
  assertEquals(await read("echo a && cat b > c; rm -rf d"), { programs: [] });
  assertEquals(await read("git status | head -1; (cd sub && npm test)\n! git diff"), {
    programs: ["git", "head", "npm"],
  });
  assertEquals(await read("X=1 env; echo $(date) $HOME"), { programs: ["env", "date"] });
});

Deno.test("readForDax() refuses by name what dax does otherwise than bash", async (t) => {
  const refused: Record<string, string> = {
    "cat <<X\nhi\nX": "here-documents",
    "cat <<< x": "here-strings",
    "cat <(ls)": "process substitution",
    "f() { ls; }": "functions",
    "a=(1 2)": "arrays",
    "[[ a == a ]]": "[[ tests ]]",
    "[ a = a ]": "[ … ]",
    "for i in 1 2; do ls; done": "for loops",
    "while true; do ls; done": "while and until loops",
    "if true; then ls; fi": "if",
    "case a in a) ls;; esac": "case",
    "{ ls; }": "{ groups }",
    "sleep 1 &": "background",
    "echo ${X:-y}": "${…}",
    "echo $((1+2))": "arithmetic",
    "echo $?": "$?",
    'echo "$X"': "inside of quotes",
    "echo *.ts": "file patterns",
    "echo {a,b}": "brace expansion",
    "echo a\\ b": "\\ outside of quotes",
    "ls > a 2>&1": "several redirections",
    "ls |& cat": "|&",
    "echo -n x": "echo -n",
    "touch /a/b": "touch",
    "test 1 -lt 2": "this form of test",
    "set -e": "set",
    "eval ls": "eval",
    "$X ls": "computed",
    "time ls": "time",
    "exit": "exit without a number",
    "X=1 echo $X": "assignments of its own",
    "echo 'open": "could not read",
    "# nothing": "without a command",
  };
  for (const [command, name] of Object.entries(refused)) {
    await t.step(command, async () => {
      const read = await readForDax(command);
      assertStringIncludes("refusal" in read ? read.refusal : "", name);
    });
  }
});

Deno.test("without bash: dax's own commands run unasked, and only in the workspace", async (t) => {
  await using fixture = await withoutBash();
  const { run, place, executor } = fixture;

  await t.step("they do what bash does", async () => {
    const command =
      "mkdir sub && cd sub && echo one > a && cp a b && cat a b && rm a && pwd; false || echo end";
    const { output, exit } = await run(command);
    assertEquals(output, `one\none\n${place.workspace}/sub\nend\n`);
    assertEquals(exit, { code: 0 });
  });

  await t.step("the exit is that of the shell", async () => {
    assertEquals((await run("echo x; exit 7")).exit, { code: 7 });
    assertEquals((await run("cat nofile")).exit, { code: 1 });
  });

  await t.step("they write nowhere else", async () => {
    for (const path of [`${place.outside}/x`, `${place.home}/x`, ".git/config", ".vscode/tasks.json"]) {
      await Deno.mkdir(`${place.workspace}/.git`, { recursive: true });
      await Deno.mkdir(`${place.workspace}/.vscode`, { recursive: true });
      const { exit } = await run(`echo x > ${path}`);
      assert("code" in exit && exit.code !== 0, path);
    }
    await assertRejects(() => Deno.stat(`${place.outside}/x`));
    await assertRejects(() => Deno.stat(`${place.workspace}/.git/config`));
  });

  await t.step("secrets are closed, the environment is scrubbed", async () => {
    await Deno.mkdir(`${place.home}/.ssh`);
    await Deno.writeTextFile(`${place.home}/.ssh/id`, "key");
    assert(!(await run("cat ~/.ssh/id")).output.includes("key"));
    assert(!(await run("printenv")).output.includes("geheim"));
  });

  await t.step("files are read and written by it too", async () => {
    const { version } = await executor.writeFile(`${place.workspace}/f`, new TextEncoder().encode("text"));
    const { bytes, version: read } = await executor.readFile(`${place.workspace}/f`, 100);
    assertEquals([new TextDecoder().decode(bytes), read], ["text", version]);
    assertEquals((await executor.stat(`${place.workspace}/none`)).kind, "missing");
    await assertRejects(() => executor.writeFile(`${place.outside}/f`, bytes));
    await Deno.writeTextFile(`${place.outside}/kept`, "text");
    await assertRejects(() => executor.remove(`${place.outside}/kept`));
    await assertRejects(() => executor.remove(`${place.workspace}/f`, "another"));
    await executor.remove(`${place.workspace}/f`, version);
    assertEquals((await executor.stat(`${place.workspace}/f`)).kind, "missing");
    await Deno.writeTextFile(`${place.workspace}/f`, "text");
    await Deno.symlink(place.outside, `${place.workspace}/away`);
    const cases = [["f", true], ["away/f", false], [".git/config", false], [".vscode/x", false]] as const;
    for (const [path, writable] of cases) {
      assertEquals((await executor.resolve(`${place.workspace}/${path}`)).writable, writable, path);
    }
    await Deno.remove(`${place.workspace}/away`);
  });

  await t.step("it says what it is", () => {
    assertEquals([executor.report.enforcement, executor.report.layers], ["none", ["deno", "env-scrub"]]);
    assertMatch(executor.report.missing.join(), /no bash was found.*install bash/);
  });

  await t.step("what it cannot do is refused before anything runs", async () => {
    const error = await assertRejects(() => run("echo x > ran; for i in 1; do ls; done"), AgentError);
    assertMatch(error.message, /no bash.*cannot do for loops: nothing was run/);
    await assertRejects(() => Deno.stat(`${place.workspace}/ran`));
  });
});

Deno.test("readForDax() tells what the shell's own commands touch, or that it cannot be told", async () => {
  const touched = async (command: string) => {
    const result = await readForDax(command);
    return "touched" in result ? result.touched?.map((t) => `${t.use} ${t.path}`) : result;
  };
  assertEquals(await touched("echo a; pwd"), []);
  assertEquals(await touched("cat a 'b c' > d && rm -rf e"), ["write d", "read a", "read b c", "write e"]);
  assertEquals(await touched("cat < a"), ["read a"]);
  assertEquals(await touched("cd x && echo y > z"), ["enter x", "write z"]);
  for (const command of ["cat $X", "echo x > $Y"]) {
    assertEquals(await touched(command), undefined);
  }
});

Deno.test("without bash: a link that leads out is not followed unasked", async () => {
  await using fixture = await withoutBash();
  const { executor, place } = fixture;
  const outside = `${place.home}/outside.txt`;
  await Deno.writeTextFile(outside, "old");
  await Deno.symlink(outside, `${place.workspace}/link`);
  const written = await fixture.run("echo new > link").catch((e) => e);
  assertMatch(String(written), /links out of the workspace.*nothing was run/);
  assertEquals(await Deno.readTextFile(outside), "old");
  assertMatch((await executor.beyond!("cat x > link", place.workspace))!.reason, /links out/);
  await Deno.mkdir(`${place.workspace}/sub`);
  await Deno.symlink("..", `${place.workspace}/sub/up`);
  const around = await fixture.run("cd sub && cd up && echo new > link").catch((e) => e);
  assertMatch(String(around), /nothing was run/);
  assertEquals((await fixture.run("echo in > plain; cat plain")).output, "in\n");
});

Deno.test("without bash: programs need an approval, for just their command", async (t) => {
  await using fixture = await withoutBash();
  const { run, approved, place, executor } = fixture;

  await t.step("unapproved they are not started", async () => {
    const error = await assertRejects(() => run("echo x > ran; ls"), AgentError);
    assertMatch(error.message, /cannot be confined \(ls\): nothing was run/);
    await assertRejects(() => Deno.stat(`${place.workspace}/ran`));
    assertEquals(await executor.beyond!("echo x", fixture.place.workspace), undefined);
    assertMatch(
      (await executor.beyond!("ls | wc -l", fixture.place.workspace))!.reason,
      /no bash.*\(ls, wc\)/,
    );
  });

  await t.step("approved they run, with the scrubbed environment", async () => {
    assertEquals((await approved("printf 'b\\na\\n' | sort")).output, "a\nb\n");
    assert(!(await approved("env")).output.includes("geheim"));
    assertEquals((await approved("ls nofile")).exit, { code: 2 });
  });

  await t.step("an approval is for no other command", async () => {
    const { executor: only } = (await executor.beyond!("ls", fixture.place.workspace))!;
    const request = { command: "ls -a", cwd: place.workspace, timeoutMs: 5_000 };
    await assertRejects(() => only.run(request, () => {}, NEVER), AgentError, "cannot be confined");
  });

  await t.step("a program that is not there is told of", async () => {
    const { exit, output } = await approved("no-such-program-x");
    assertEquals(exit, { code: 127 });
    assertStringIncludes(output, "command not found");
  });

  await t.step("output streams, both kinds of it", async () => {
    const seen = Promise.withResolvers<void>();
    const stop = new AbortController();
    const running = approved("echo first; ls nofile; sleep 3600", {
      signal: stop.signal,
      onOutput: (text) => text.includes("nofile") && seen.resolve(),
    });
    await seen.promise;
    stop.abort();
    const { output, stopped } = await running;
    assertMatch(output, /^first\n.*nofile/);
    assertEquals(stopped, "cancelled");
  });

  await t.step("time-out and cancel end the command and its children", async () => {
    const command = "sh -c 'sleep 86461; true'";
    const timedOut = await approved(command, { timeoutMs: 300 });
    assertEquals(timedOut.stopped, "timeout");
    const stop = new AbortController();
    const cancelled = approved(command, { signal: stop.signal });
    await eventually("it runs", () => processesRunning("sleep 86461").length > 0);
    stop.abort();
    assertEquals((await cancelled).stopped, "cancelled");
    await eventually("nothing is left", () => processesRunning("sleep 86461").length === 0);
  });
});

Deno.test("without bash: full-access starts programs unasked", async () => {
  await using fixture = await withoutBash("full-access");
  assertEquals((await fixture.run("printf hi | cat")).output, "hi");
  assertEquals(await fixture.executor.beyond!("ls", fixture.place.workspace), undefined);
});

Deno.test("without bash: read-only writes nothing but temporary files", async () => {
  await using fixture = await withoutBash("read-only");
  const { exit } = await fixture.run("echo x > x");
  assert("code" in exit && exit.code !== 0);
  assertEquals(
    (await fixture.run(`echo x > ${fixture.place.tempDir}/x; cat ${fixture.place.tempDir}/x`)).output,
    "x\n",
  );
});
