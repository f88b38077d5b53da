import { assert, assertEquals } from "@std/assert";
import { ExecutorPool } from "../../src/bash/pool.ts";
import { silentLog } from "../../src/log.ts";
import { policyFor } from "../../src/sandbox/policy.ts";
import { environmentIn, makePlace, type Place, type Ran, runIn, startRig } from "./rig.ts";

/** Ordinary work, which a confinement must not be in the way of. What a machine lacks is left out. */
const WORK: { name: string; needs: string; command: string; prints?: string; insideOnly?: true }[] = [
  {
    name: "git: rebase, stash, tag, log",
    needs: "git",
    command: `git init -q r2 && cd r2 && git config user.name n && git config user.email e@x &&
      for i in 1 2 3; do echo $i > f$i && git add . && git commit -qm $i; done && git switch -qc side HEAD~2 &&
      echo s > s && git add . && git commit -qm s && git rebase -q - && echo t >> s && git stash -q && git stash pop -q &&
      git tag v1 && git log --oneline | wc -l`,
    prints: "4\n",
  },
  {
    name: "git: a linked worktree, made, used and removed",
    needs: "git",
    command:
      `cd r2 && git worktree add -q ../wt -b wt && cd ../wt && echo w > w && git add w && git commit -qm w &&
      git log --oneline -1 --format=%s && cd ../r2 && git worktree remove ../wt`,
    prints: "w\n",
  },
  {
    name: "git: clone and a submodule",
    needs: "git",
    command: `git clone -q r2 r3 2>&1 && cd r3 && git config user.name n && git config user.email e@x &&
      git -c protocol.file.allow=always submodule add -q ../r2 sub && git commit -qm sub && git submodule status | wc -l`,
    prints: "1\n",
  },
  {
    name: "git in the existing repository of the workspace",
    needs: "git",
    command: `export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e@x GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e@x
      git init -q . && git add a_file && git commit -qm one && git switch -qc topic && git log --oneline | wc -l`,
    prints: "1\n",
  },
  {
    name: "git in it by a later command, its hooks and config being protected by then",
    needs: "git",
    command: `export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e@x GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e@x
      echo b > b_file && git add b_file && git commit -qm two && git switch -qc other HEAD~1 && echo c > c_file &&
      git add c_file && git commit -qm three && git rebase -q topic && git merge -q topic && git log --oneline | wc -l`,
    prints: "3\n",
  },
  {
    name: "npm: test",
    needs: "npm",
    command:
      `mkdir p2 && cd p2 && npm init -y >/dev/null && npm pkg set scripts.test='node -e "console.log(6*7)"' &&
      npm test --silent`,
    prints: "42\n",
  },
  {
    name: "python: multiprocessing",
    needs: "python3",
    command: `cat > mp.py <<'EOF'
import multiprocessing
def double(x): return 2 * x
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool: print(sum(pool.map(double, [1, 2])))
EOF
      python3 mp.py`,
    prints: "6\n",
    insideOnly: true, // POSIX semaphores want /dev/shm
  },
  {
    name: "a server on the loopback and a client",
    needs: "curl",
    command: `echo served > page; python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 &
      for i in {1..50}; do curl -sf http://127.0.0.1:8123/page && break; sleep 0.05; done; kill %1`,
    prints: "served\n",
    insideOnly: true,
  },
  {
    name: "a pseudo-terminal",
    needs: "script",
    command: `script -qec 'test -t 1 && echo terminal' /dev/null | tr -d '\\r'`,
    prints: "terminal\n",
    insideOnly: true,
  },
  {
    name: "/tmp, written",
    needs: "cat",
    command: `echo kept > /tmp/kept && ls -d "$TMPDIR"/kept >/dev/null && echo ok`,
    prints: "ok\n",
    insideOnly: true,
  },
  {
    name: "/tmp, read by a later command",
    needs: "cat",
    command: `cat /tmp/kept`,
    prints: "kept\n",
    insideOnly: true,
  },
  {
    name: "git: init, commit, branch, status",
    needs: "git",
    command: `git init -q repo && cd repo && echo a > a && git add a &&
      git -c user.name=n -c user.email=e@x commit -qm one && git switch -qc topic && git status --short`,
    prints: "",
  },
  {
    name: "npm: init and a script",
    needs: "npm",
    command: `mkdir pkg && cd pkg && npm init -y >/dev/null && npm pkg set scripts.hi='echo hi there' &&
      npm run --silent hi`,
    prints: "hi there\n",
  },
  {
    name: "node: a child process with pipes",
    needs: "node",
    command: `node -e 'console.log(require("child_process").execSync("echo from child").toString().trim())'`,
    prints: "from child\n",
  },
  {
    name: "python: subprocess and a temporary file",
    needs: "python3",
    command: `python3 -c 'import subprocess, tempfile
with tempfile.NamedTemporaryFile() as f: print(subprocess.check_output(["echo", "py"], text=True).strip())'`,
    prints: "py\n",
  },
  {
    name: "gcc: compile and run",
    needs: "gcc",
    command: `echo 'int main(){return 42;}' > x.c && gcc x.c -o x && ./x; echo $?`,
    prints: "42\n",
  },
  {
    name: "deno: a test",
    needs: "deno",
    command: `echo 'Deno.test("a", () => {})' > a_test.ts && deno test -q a_test.ts | grep -c '1 passed'`,
    prints: "1\n",
  },
  {
    name: "mktemp",
    needs: "mktemp",
    command: `f=$(mktemp) && echo x > $f && rm $f && echo ok`,
    prints: "ok\n",
  },
  { name: "a here-document", needs: "cat", command: `cat <<EOF\nhere\nEOF`, prints: "here\n" },
  { name: "process substitution", needs: "cat", command: `cat <(echo a) <(echo b)`, prints: "a\nb\n" },
  {
    name: "the machine's own files",
    needs: "cat",
    command:
      `cat /etc/os-release /proc/cpuinfo /sys/kernel/mm/transparent_hugepage/enabled >/dev/null; echo $?`,
    prints: "0\n",
  },
  {
    name: "the usual devices",
    needs: "head",
    command:
      `echo x > /dev/null; head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; echo e > /dev/stderr`,
    prints: "3\n3\ne\n",
  },
  {
    name: "job control",
    needs: "ps",
    command:
      `exec 2>/dev/null; set -m; sleep 0.1 & ps -o pgid= -p $! | grep -qw $! && echo own group; wait %1`,
    prints: "own group\n",
  },
  {
    name: "a pipeline with a failure in it",
    needs: "cat",
    command: `set -o pipefail; false | cat; echo $?`,
    prints: "1\n",
  },
  {
    name: "listing the home directory's names",
    needs: "ls",
    command: `ls -A ~ | sort`,
    prints: ".local\n.ssh\nproject\n",
  },
  { name: "listing a secret place's names", needs: "ls", command: `ls ~/.ssh`, prints: "id\n" },
  {
    name: "named pipes and file locks",
    needs: "flock",
    command: `mkfifo p; (echo via > p &) ; cat p; flock lock echo locked`,
    prints: "via\nlocked\n",
  },
];

for (const [mode, bubblewrap] of [["in bubblewrap", true], ["by Landlock alone", false]] as const) {
  Deno.test(`ordinary work goes on in the workspace preset, ${mode}`, (t) => work(t, bubblewrap));
}

interface PoolRig extends AsyncDisposable {
  readonly place: Place;
  readonly inNamespaces: boolean;
  run(command: string): Promise<Ran>;
}

/** Runs each command in the executor that a session would take for it. */
async function startPoolRig(bubblewrap: boolean): Promise<PoolRig> {
  const place = await makePlace();
  const environment = environmentIn(place.home);
  const home = Deno.env.get("HOME")!;
  const pool = new ExecutorPool({ environment, envPass: [], home, log: silentLog, bubblewrap });
  const { policy } = policyFor({ ...place, preset: "workspace", cwd: place.workspace });
  const { report } = await pool.get(policy);
  return {
    place,
    inNamespaces: report.layers.includes("bubblewrap"),
    run: async (command) => await runIn(await pool.get(policy), place.workspace, command),
    async [Symbol.asyncDispose]() {
      await pool.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

async function work(t: Deno.TestContext, bubblewrap: boolean): Promise<void> {
  await using rig = await startPoolRig(bubblewrap);
  await Deno.writeTextFile(`${rig.place.workspace}/a_file`, "a");
  await Deno.mkdir(`${rig.place.home}/.ssh`);
  await Deno.writeTextFile(`${rig.place.home}/.ssh/id`, "secret");
  for (const { name, needs, command, prints, insideOnly = false } of WORK) {
    const ignore = insideOnly && !rig.inNamespaces || !(await rig.run(`command -v ${needs}`)).output;
    await t.step({
      name,
      ignore,
      fn: async () => {
        const ran = await rig.run(command);
        assertEquals([ran.output, ran.exit], [prints ?? ran.output, { code: 0 }]);
      },
    });
  }
}

Deno.test("read-only lets commands read, and write only to the temporary directory", async () => {
  await using rig = await startRig("read-only");
  await Deno.writeTextFile(`${rig.place.workspace}/a`, "text\n");
  const ran = await rig.run(`cat a; echo x > b || echo refused; echo y > $TMPDIR/c && cat $TMPDIR/c`);
  assertEquals(
    ran.output.replace(/^.*(Permission denied|Read-only file system)\n/m, ""),
    "text\nrefused\ny\n",
  );
});

Deno.test("a path with a comma is served where the kernel confines", async () => {
  await using rig = await startRig();
  const cwd = `${rig.place.workspace}/a,b`;
  await Deno.mkdir(cwd);
  await using inner = await startRig("workspace", { cwd });
  const ran = await inner.run(`cd '${cwd}' && echo x > f && cat f`);
  assertEquals(ran.output, "x\n");
  await inner.executor.writeFile(`${cwd}/g`, new Uint8Array([65]));
  assertEquals(await Deno.readTextFile(`${cwd}/g`), "A");
});

Deno.test("a command sees descriptors 0, 1 and 2, whatever the agent was started with", async () => {
  await using rig = await startRig();
  const script = `${rig.place.root}/script.json`;
  const { root, outside, ...place } = rig.place;
  const steps = [{ run: "ls /proc/self/fd | tr '\\n' ' '" }];
  const policy = { ...place, preset: "workspace", cwd: place.workspace };
  for (const preset of ["workspace", "full-access"]) {
    await Deno.writeTextFile(script, JSON.stringify({ policy: { ...policy, preset }, steps }));
    const agent = `${Deno.execPath()} run -A --no-check ${
      new URL("./fake_agent.ts", import.meta.url).href
    } ${script}`;
    const inherited = `exec 7</etc/passwd 8>${outside}/leak 9<${root}`;
    const control = "ls /proc/self/fd | tr '\\n' ' '";
    const { stdout } = await new Deno.Command("bash", {
      args: ["-c", `${inherited}; ${control}; echo; ${agent}`],
    })
      .output();
    const [before, answer] = new TextDecoder().decode(stdout).trim().split("\n");
    assert(["7", "8", "9"].every((fd) => before!.split(" ").includes(fd)));
    assertEquals(JSON.parse(answer!).output.trim(), "0 1 2 3"); // 3 is ls's own
  }
});
