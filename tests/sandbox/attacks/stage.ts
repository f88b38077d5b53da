import { assert, assertEquals } from "@std/assert";
import type { Preset } from "../../../src/config/config.ts";
import type { Script, Step, StepResult } from "../../bash/fake_agent.ts";
import { type Place, uniqueSleep } from "../../bash/rig.ts";
import { isAlive } from "../../support/process_tree.ts";
import { eventually } from "../../support/waiting.ts";
import type { Targets } from "./attack.ts";

const FAKE_AGENT = new URL("../../bash/fake_agent.ts", import.meta.url).href;

/** Files that the attacks want, as the user has them. */
export async function furnish(place: Place): Promise<void> {
  const { home, outside, stateDir } = place;
  for (const directory of [`${home}/.ssh`, `${home}/dotfiles/aws`, `${stateDir}/tmp/s2`]) {
    await Deno.mkdir(directory, { recursive: true });
  }
  await Deno.mkdir(`${home}/.config/dsh-acp`, { recursive: true });
  await Deno.symlink(`${home}/dotfiles/aws`, `${home}/.aws`);
  const secret = "BREACH: a secret\n";
  const secrets = [`${home}/.ssh/id`, `${home}/dotfiles/aws/credentials`, `${stateDir}/tmp/s2/spill`]
    .concat([`${home}/.netrc`, `${home}/.config/dsh-acp/config.jsonc`, `${home}/.config/dsh-acp/keys.json`]);
  for (const path of secrets) await Deno.writeTextFile(path, secret);
  await Deno.writeTextFile(`${place.root}/bash_env`, "echo BREACH\n");
  await Deno.writeTextFile(`${stateDir}/sessions.db`, secret);
  for (
    const name of ["append", "truncate", "remove", "rename", "hardlink", "open", "mode", "times", "swap"]
  ) {
    await Deno.writeTextFile(`${outside}/${name}`, "as it was\n");
  }
}

/** What is outside, names and contents. */
export async function snapshot(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isFile } of Deno.readDir(directory)) {
    found[name] = isFile ? await Deno.readTextFile(`${directory}/${name}`) : "no file";
  }
  return found;
}

export interface Bait extends AsyncDisposable {
  readonly targets: Targets;
  /** Connections and packets that came in so far, one word each. */
  readonly hits: () => string[];
  readonly victimLives: () => boolean;
}

/** Listens by every kind of socket (Deno knows two of the four) and says who came. */
const LISTENERS = `
import os, socket, sys, threading
def say(*words): os.write(1, (" ".join(map(str, words)) + "\\n").encode()) # whole: threads would mix their words
def accept(name, listener):
  while True:
    listener.accept()
    say("hit", name)
def receive(udp):
  while True:
    udp.recv(9)
    say("hit", "udp")
tcp = socket.create_server(("127.0.0.1", 0))
tcp6 = socket.create_server(("::1", 0), family=socket.AF_INET6)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 0))
unix, abstract = [socket.socket(socket.AF_UNIX) for _ in range(2)]
unix.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
abstract.bind("\\0" + sys.argv[2])
for listener in unix, abstract: listener.listen(9)
threads = [(accept, ("tcp", tcp)), (accept, ("tcp6", tcp6)), (accept, ("unix", unix)), (accept, ("abstract", abstract)), (receive, (udp,))]
for target, args in threads: threading.Thread(target=target, args=args).start()
say("up", tcp.getsockname()[1], udp.getsockname()[1], tcp6.getsockname()[1])
`;

export async function bait(place: Place): Promise<Bait> {
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
  const [, tcpPort, udpPort, tcp6Port] = heard.split(/\s/).map(Number);
  return {
    targets: {
      ...place,
      tcpPort: tcpPort!,
      udpPort: udpPort!,
      tcp6Port: tcp6Port!,
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

export async function play(
  place: Place,
  preset: Preset,
  steps: readonly Step[],
  { user, bubblewrap }: { user?: number | undefined; bubblewrap: boolean },
): Promise<StepResult[]> {
  const policy = { ...place, preset, cwd: place.workspace, ownSecrets: [`${place.home}/.config/dsh-acp`] };
  const script: Script = { policy, steps, bubblewrap };
  const path = `${place.root}/script.json`; // not an argument: those can be read by everyone
  await Deno.writeTextFile(path, JSON.stringify(script));
  const deno = [Deno.execPath(), "run", "-A", "--no-check", "--no-config", "--no-lock", FAKE_AGENT, path];
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
      BASH_ENV: `${place.root}/bash_env`,
      "BASH_FUNC_exported_function%%": "() { echo BREACH; }",
    },
  }).output();
  const lines = new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
  assertEquals(lines.length, steps.length, new TextDecoder().decode(stderr));
  return lines.map((line) => JSON.parse(line));
}

export async function giveTo(user: number | undefined, place: Place): Promise<void> {
  if (user === undefined) return;
  const args = ["-R", "-h", `${user}:${user}`, place.root];
  assert((await new Deno.Command("chown", { args }).output()).success);
}
