import { confine } from "../sandbox/confine.ts";
import { alloc, cString, type Libc } from "../sandbox/libc.ts";
import { launchArgv, launchEnv, type LaunchPlan } from "./launch.ts";

/** Confines this thread and replaces the process by its next stage, all of whose threads are then confined. */
export function becomeConfined(libc: Libc, plan: LaunchPlan): never {
  const argv = vector(libc, launchArgv(plan, "serve"));
  const environment = Object.entries(launchEnv(plan)).map(([name, value]) => `${name}=${value}`);
  confine(libc, plan.policy);
  const program = cString(plan.program);
  libc.must("starting the confined executor", "execve", program, argv, vector(libc, environment));
  throw new Error("execve returned");
}

/** A `char *[]` that ends with a null pointer. */
function vector(libc: Libc, strings: readonly string[]): Uint8Array<ArrayBuffer> {
  const pointers = new BigUint64Array(alloc((strings.length + 1) * 8).buffer);
  pointers.set(strings.map((text) => libc.pin(cString(text))));
  return new Uint8Array(pointers.buffer);
}
