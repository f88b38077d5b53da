import { assert, assertEquals } from "@std/assert";
import { programCommand, ROOT } from "../support/agent.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Stage } from "../support/stage.ts";
import { onlyCard, terminalText } from "../support/updates.ts";
import type { Fields } from "../support/wire.ts";

/** What each command shows of the confinement; run by both, the answers must be the same. */
const COMMANDS = [
  "echo in > inside && cat inside && rm inside",
  'echo out > "$OUTSIDE/x" && echo written',
  'cat "$HOME/.ssh/id_ed25519"',
  "exec 3<>/dev/tcp/127.0.0.1/$PORT && echo connected",
  "echo keep > $TMPDIR/f && cat $TMPDIR/f",
  "printf x > /tmp/f-$$ && echo tmp",
  "env | cut -d= -f1 | grep -c DEEPSEEK",
  "mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit",
  "kill -9 $$",
  "exit 7",
];

interface Answer {
  readonly output: string;
  readonly exit: string;
}

async function byExec(stage: Stage, preset: string, command: string): Promise<Answer> {
  // Beside the running agent, which `runProgram` would wait for.
  const [program, ...args] = programCommand(
    "exec",
    "--json",
    "--preset",
    preset,
    "--cwd",
    stage.workspace,
    "--",
    command,
  );
  const env = stage.environment();
  const ended = await new Deno.Command(program!, { args, cwd: ROOT, env, clearEnv: true, stdin: "null" })
    .output();
  const stdout = new TextDecoder().decode(ended.stdout);
  const { output, exitCode, signal } = JSON.parse(stdout) as {
    output: string;
    exitCode: number | null;
    signal: string;
  };
  return { output: plain(stage, output), exit: String(exitCode ?? signal) };
}

async function byAgent(
  stage: Stage,
  session: Awaited<ReturnType<Stage["session"]>>,
  command: string,
): Promise<Answer> {
  const { updates } = await session.run(script(["bash", command], ["text", "."]));
  const card = onlyCard(updates);
  const exit = updates.map((u) => (u._meta as Fields | undefined)?.terminal_exit).find((e) => e) as Fields;
  return {
    output: plain(stage, terminalText(updates, card.id)),
    exit: String(exit.exit_code ?? exit.signal),
  };
}

/** Without what differs by nature: the temporary directory, process ids, the agent's words behind the output. */
function plain(stage: Stage, output: string): string {
  return output.replaceAll(stage.root, "ROOT").replace(/state\/tmp\/[\w-]+/g, "TMP").replace(/\d{2,}/g, "N")
    .replace(/\n… .*…\n/g, "");
}

for (const preset of ["read-only", "workspace", "full-access"]) {
  onStage(
    `exec and the agent answer the same in ${preset}`,
    { env: { DSH_PRESET: preset } },
    async (stage, t) => {
      using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const accepting = (async () => {
        for await (const connection of listener) connection.close();
      })().catch(() => {});
      await Deno.mkdir(`${stage.home}/.ssh`, { recursive: true });
      await Deno.writeTextFile(`${stage.home}/.ssh/id_ed25519`, "secret key");
      const fill = (command: string) =>
        command.replaceAll("$OUTSIDE", stage.outside).replaceAll(
          "$PORT",
          String((listener.addr as Deno.NetAddr).port),
        );
      const session = await stage.session();
      const seen: string[] = [];
      for (const command of COMMANDS.map(fill)) {
        await t.step(command.replaceAll(stage.root, "ROOT").replace(/\d{4,}/g, "N"), async () => {
          await Deno.remove(`${stage.workspace}/.git`, { recursive: true }).catch(() => {});
          const own = await byExec(stage, preset, command);
          await Deno.remove(`${stage.workspace}/.git`, { recursive: true }).catch(() => {});
          assertEquals(await byAgent(stage, session, command), own);
          seen.push(own.output);
        });
      }
      listener.close();
      await accepting;
      assertEquals(seen.join().includes("secret key"), preset === "full-access");
      assert(seen.join().includes("keep"), "every preset can write to its temporary directory");
    },
  );
}
