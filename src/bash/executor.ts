/**
 * The confined process: the entry point of every executor. It imports only its siblings, so that it starts from
 * a file, from a registry's cache and from inside a compiled program; and each stage only what it needs.
 *
 * @module
 */
import { hardenProcess, tagDescendants } from "../sandbox/harden.ts";
import { type Libc, openLibc } from "../sandbox/libc.ts";
import { firstStage, type LaunchPlan, type Stage } from "./launch.ts";
import { writeMessage } from "./write_message.ts";

/**
 * Runs one stage of an executor; its arguments are those that `launchArgv` puts last. Never returns: it becomes
 * the next stage, or ends the process when the agent is gone.
 */
export async function main(args: readonly string[]): Promise<never> {
  try {
    const stage = args[0] as Stage;
    const plan = JSON.parse(args[1] ?? "") as LaunchPlan;
    if (plan.standalone) await giveUpBroadPermissions();
    const libc = plan.tools.libc === undefined ? undefined : openLibc(plan.tools.libc);
    if (libc !== undefined) {
      hardenProcess(libc);
      if (stage === firstStage(plan)) tagDescendants(libc, plan.tag);
    }
    await run(stage, plan, libc);
  } catch (thrown) {
    await writeMessage({ ev: "fatal", message: thrown instanceof Error ? thrown.message : String(thrown) });
    Deno.exit(70);
  }
  Deno.exit(0);
}

const NO_CONFINING: { readonly confine?: undefined } = {};

async function run(stage: Stage, plan: LaunchPlan, libc: Libc | undefined): Promise<void> {
  if (stage === "serve") {
    const [{ serve }, { confine }] = await Promise.all([
      import("./serve.ts"),
      plan.policy.confined && plan.inNamespaces ? import("../sandbox/confine.ts") : NO_CONFINING,
    ]);
    if (libc !== undefined) confine?.(libc, plan.policy, true);
    return await serve(plan, libc);
  }
  if (libc === undefined) throw new Error("the C library was not found, so nothing can be confined");
  const { becomeConfined } = await import("./become_confined.ts");
  becomeConfined(libc, plan);
}

/** A compiled program has the agent's permissions; whole kinds can be given up, parts of them cannot. */
async function giveUpBroadPermissions(): Promise<void> {
  for (const name of ["net", "env", "sys"] as const) await Deno.permissions.revoke({ name });
}

if (import.meta.main) await main(Deno.args);
