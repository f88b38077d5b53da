import { isWithin } from "./paths.ts";
import type { Policy } from "./policy.ts";

/** May the policy's executor read what stands at `real`, a path without symlinks? */
export function mayRead(policy: Policy, real: string): boolean {
  if (!policy.confined || mayWrite(policy, real)) return true;
  return !policy.secret.some((place) => isWithin(real, place));
}

/** What the policy's executor may do with what stands, or would stand, at `real`, a path without symlinks. */
export function accessTo(
  policy: Policy,
  real: string,
): { readonly path: string; readonly readable: boolean; readonly writable: boolean } {
  return { path: real, readable: mayRead(policy, real), writable: mayWrite(policy, real) };
}

/** May the policy's executor write what stands at `real`, a path without symlinks? */
export function mayWrite(policy: Policy, real: string): boolean {
  return !policy.confined || policy.writable.some((root) => isWithin(real, root));
}
