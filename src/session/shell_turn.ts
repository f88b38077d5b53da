import { randomId } from "./ids.ts";
import { DONE } from "./slash/command.ts";
import type { StopReason } from "./event.ts";
import { runCalls, type RunnerDeps } from "./tool_runner.ts";

/**
 * Runs a command that the user typed, as the bash tool runs the model's: same confinement, same questions. The model
 * reads of it with the next prompt. Throws like `runCalls`.
 */
export async function runShellTurn(
  command: string,
  deps: RunnerDeps,
  signal: AbortSignal,
): Promise<StopReason> {
  const id = randomId("call");
  let told = "It was not run to its end.";
  const unsubscribe = deps.log.subscribe((event) => {
    if (event.type === "tool.ended" && event.callId === id) told = event.text;
  });
  try {
    await runCalls([{ id, name: "bash", args: JSON.stringify({ command }) }], deps, signal);
  } finally {
    unsubscribe();
    deps.log.append({ type: "told", text: `The user ran a command by themselves:\n$ ${command}\n${told}` });
  }
  return DONE;
}
