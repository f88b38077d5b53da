import { assert, assertEquals } from "@std/assert";
import type { Preset } from "../../src/config/config.ts";
import type { Script, Step, StepResult } from "../bash/fake_agent.ts";
import { makePlace, type Place, uniqueSleep } from "../bash/rig.ts";
import { isAlive } from "../support/process_tree.ts";
import { eventually } from "../support/waiting.ts";
import { ATTACKS, type Targets } from "./attacks.ts";

const FAKE_AGENT = new URL("../bash/fake_agent.ts", import.meta.url).href;
const PLAIN_USER = 1000;

/** Files that the attacks want, as the user has them. */
async function furnish(place: Place): Promise<void> {
  const { home, outside, stateDir } = place;
  for (const directory of [`${home}/.ssh`, `${home}/dotfiles/aws`, `${stateDir}/tmp/s2`]) {
    await Deno.mkdir(directory, { recursive: true });
  }
  await Deno.symlink(`${home}/dotfiles/aws`, `${home}/.aws`);
  const secret = "BREACH: a secret\n";
  for (const path of [`${home}/.ssh/id`, `${home}/dotfiles/aws/credentials`, `${stateDir}/tmp/s2/spill`]) {
    await Deno.writeTextFile(path, secret);
  }
  await Deno.writeTextFile(`${stateDir}/sessions.db`, secret);
  for (const name of ["append", "truncate", "remove", "rename", "hardlink", "open"]) {
    await Deno.writeTextFile(`${outside}/${name}`, "as it was\n");
  }
}

/** What is outside, names and contents. */
async function snapshot(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isFile } of Deno.readDir(directory)) {
    found[name] = isFile ? await Deno.readTextFile(`${directory}/${name}`) : "no file";
  }
  return found;
}

interface Bait extends AsyncDisposable {
  readonly targets: Targets;
  /** Connections and packets that came in so far, one word each. */
  readonly hits: () => string[];
  readonly victimLives: () => boolean;
}

/** Listens by every kind of socket (Deno knows two of the four) and says who came. */
const LISTENERS = `
import os, socket, sys, threading
def say(*words): print(*words, flush=True)
def accept(name, listener):
  while True:
    listener.accept()
    say("hit", name)
def receive(udp):
  while True:
    udp.recv(9)
    say("hit", "udp")
tcp = socket.create_server(("127.0.0.1", 0))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 0))
unix, abstract = [socket.socket(socket.AF_UNIX) for _ in range(2)]
unix.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
abstract.bind("\\0" + sys.argv[2])
for listener in unix, abstract: listener.listen(9)
threads = [(accept, ("tcp", tcp)), (accept, ("unix", unix)), (accept, ("abstract", abstract)), (receive, (udp,))]
for target, args in threads: threading.Thread(target=target, args=args).start()
say("up", tcp.getsockname()[1], udp.getsockname()[1])
`;

async function bait(place: Place): Promise<Bait> {
  const unixSocket = `${place.root}/socket`;
  const abstractSocket = `dsh-${crypto.randomUUID()}`;
  const args = ["-c", LISTENERS, unixSocket, abstractSocket];
  const listeners = new Deno.Command("python3", { args, stdout: "piped" }).spawn();
  const victim = new Deno.Command("sleep", { args: [uniqueSleep()] }).spawn();
  let heard = "";
  const hearing = (async () => {
    for await (const text of listeners.stdout.pipeThrough(new TextDecoderStream())) heard += text;
  })();
  await eventually("the listeners", () => heard.includes("\n"));
  const [, tcpPort, udpPort] = heard.split(/\s/).map(Number);
  return {
    targets: {
      ...place,
      tcpPort: tcpPort!,
      udpPort: udpPort!,
      unixSocket,
      abstractSocket,
      victim: victim.pid,
    },
    hits: () => [...heard.matchAll(/^hit (\w+)$/gm)].map((match) => match[1]!),
    victimLives: () => isAlive(victim.pid),
    async [Symbol.asyncDispose]() {
      for (const child of [listeners, victim]) {
        child.kill("SIGKILL");
        await child.status;
      }
      await hearing;
    },
  };
}

async function play(
  place: Place,
  preset: Preset,
  steps: readonly Step[],
  user?: number,
): Promise<StepResult[]> {
  const script: Script = { policy: { ...place, preset, cwd: place.workspace }, steps, bubblewrap: false };
  const path = `${place.root}/script.json`; // not an argument: those can be read by everyone
  await Deno.writeTextFile(path, JSON.stringify(script));
  const deno = [Deno.execPath(), "run", "-A", "--no-check", FAKE_AGENT, path];
  const identity = [`--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
  const argv = user === undefined ? deno : ["setpriv", ...identity, ...deno];
  const { stdout, stderr } = await new Deno.Command(argv[0]!, {
    args: argv.slice(1),
    clearEnv: true,
    env: {
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      HOME: place.home,
      DENO_DIR: `${place.root}/deno`,
      EDITOR: "vi",
      MY_API_KEY: "BREACH-env",
    },
  }).output();
  const lines = new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
  assertEquals(lines.length, steps.length, new TextDecoder().decode(stderr));
  return lines.map((line) => JSON.parse(line));
}

async function giveTo(user: number | undefined, place: Place): Promise<void> {
  if (user === undefined) return;
  const args = ["-R", "-h", `${user}:${user}`, place.root];
  assert((await new Deno.Command("chown", { args }).output()).success);
}

/** Root and an ordinary user: root has more to lose, and is where a forgotten capability shows. */
const USERS: { name: string; user?: number; ignore?: boolean }[] = [
  { name: Deno.uid() === 0 ? "as root" : "as this user" },
  { name: "as an ordinary user (needs root to become one)", user: PLAIN_USER, ignore: Deno.uid() !== 0 },
];

for (const { name, user, ignore = false } of USERS) {
  const isRoot = user === undefined && Deno.uid() === 0;
  const steps = (targets: Targets): Step[] => [
    ...ATTACKS.map((attack) => ({ run: `{ ${attack.command(targets)}\n} 2>/dev/null` })),
    { read: `${targets.home}/.ssh/id` },
    { read: `${targets.workspace}/s/id` },
    { read: `${targets.home}/dotfiles/aws/credentials` },
    { read: `${targets.stateDir}/sessions.db` },
    { write: `${targets.outside}/by-tool` },
    { write: `${targets.workspace}/link/by-tool` },
    { write: `${targets.workspace}/../../outside/by-dots` },
    { write: `${targets.home}/.profile` },
    { run: "env" },
  ];
  const tools = ["read a key", "read by a symlink", "read a symlinked place", "read the state"]
    .concat(["write outside", "write by a symlink", "write by ..", "write in home", "dump the environment"]);
  const names = [...ATTACKS.map((a) => a.name), ...tools.map((tool) => `file tools: ${tool}`)];

  Deno.test(
    { name: `no attack of a confined command or file operation succeeds, ${name}`, ignore },
    async () => {
      await using place = await makePlace();
      await furnish(place);
      await using trap = await bait(place);
      await giveTo(user, place);
      const before = await snapshot(place.outside);
      const results = await play(place, "workspace", steps(trap.targets), user);
      const breaches = names.filter((_, i) => results[i]!.output.includes("BREACH"));
      assertEquals(breaches, []);
      assertEquals(await snapshot(place.outside), before);
      assertEquals(trap.hits(), []);
      assert(trap.victimLives());
    },
  );

  Deno.test({ name: `the same attacks succeed without confinement, ${name}`, ignore }, async () => {
    await using place = await makePlace();
    await furnish(place);
    await using trap = await bait(place);
    await giveTo(user, place);
    const results = await play(place, "full-access", steps(trap.targets), user);
    const stopped = ATTACKS.filter(({ control, name }, i) =>
      !results[i]!.output.includes("BREACH") && control !== "depends on the kernel" &&
      (control !== "root only" || isRoot) &&
      // A process of root's is none that an ordinary user could signal.
      !(user !== undefined && name === "signal a process of the user")
    );
    assertEquals(stopped.map((attack) => attack.name), []);
    const byTools = tools.filter((tool, i) =>
      tool !== "dump the environment" && !results[ATTACKS.length + i]!.output.includes("BREACH")
    );
    assertEquals(byTools, []);
    // The scrub holds in every preset.
    assert(!results.at(-1)!.output.includes("BREACH"));
    const kinds = ["abstract", "tcp", "udp", "unix"];
    await eventually("a visit to each listener", () => kinds.every((kind) => trap.hits().includes(kind)));
  });
}
