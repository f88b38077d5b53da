import { isWithin } from "./paths.ts";
import type { Policy } from "./policy.ts";

/** May the policy's executor read what stands at `real`, a path without symlinks? */
export function mayRead(policy: Policy, real: string): boolean {
  if (!policy.confined || mayWrite(policy, real)) return true;
  return !policy.secret.some((place) => isWithin(real, place));
}

/** May the policy's executor write what stands at `real`, a path without symlinks? */
export function mayWrite(policy: Policy, real: string): boolean {
  return !policy.confined || policy.writable.some((root) => isWithin(real, root));
}
