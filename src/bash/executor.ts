/**
 * The confined process: the entry point of every executor. It imports only its siblings, so that it starts from
 * a file, from a registry's cache and from inside a compiled program.
 *
 * @module
 */
import { confine, type Obtained, verifyConfinement } from "../sandbox/confine.ts";
import { hardenProcess, tagDescendants } from "../sandbox/harden.ts";
import { alloc, cString, type Libc, openLibc } from "../sandbox/libc.ts";
import { firstStage, launchArgv, launchEnv, type LaunchPlan, type Stage } from "./launch.ts";
import { serve, writeMessage } from "./serve.ts";

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
    if (libc !== undefined && stage === firstStage(plan.policy)) tagDescendants(libc, plan.tag);
    if (stage === "confine") becomeConfined(need(libc), plan);
    if (libc !== undefined) hardenProcess(libc);
    const obtained: Obtained = plan.policy.confined
      ? verifyConfinement(need(libc))
      : { layers: [], missing: [] };
    await serve(plan, libc, obtained);
  } catch (thrown) {
    await writeMessage({ ev: "fatal", message: thrown instanceof Error ? thrown.message : String(thrown) });
    Deno.exit(70);
  }
  Deno.exit(0);
}

/** A compiled program has the agent's permissions; whole kinds can be given up, parts of them cannot. */
async function giveUpBroadPermissions(): Promise<void> {
  for (const name of ["net", "env", "sys"] as const) await Deno.permissions.revoke({ name });
}

/** Confines this thread and replaces the process by its next stage, all of whose threads are then confined. */
function becomeConfined(libc: Libc, plan: LaunchPlan): never {
  const argv = launchArgv(plan, "serve");
  const environment = Object.entries(launchEnv(plan)).map(([name, value]) => `${name}=${value}`);
  hardenProcess(libc);
  confine(libc, plan.policy);
  libc.must(
    "starting the confined executor",
    "execve",
    cString(plan.program),
    vector(libc, argv),
    vector(libc, environment),
  );
  throw new Error("execve returned");
}

/** A `char *[]` that ends with a null pointer. */
function vector(libc: Libc, strings: readonly string[]): Uint8Array<ArrayBuffer> {
  const pointers = new BigUint64Array(alloc((strings.length + 1) * 8).buffer);
  pointers.set(strings.map((text) => libc.pin(cString(text))));
  return new Uint8Array(pointers.buffer);
}

function need(libc: Libc | undefined): Libc {
  if (libc === undefined) throw new Error("the C library was not found, so nothing can be confined");
  return libc;
}

if (import.meta.main) await main(Deno.args);
