import { mayRead, mayWrite } from "../sandbox/access.ts";
import { isWithin } from "../sandbox/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { isNamedProtected } from "../sandbox/protected.ts";
import type { ResolvedPath } from "./executor_handle.ts";

/**
 * What a policy allows at `real`, a path without symlinks. Below a workspace the name of a protected place is enough
 * to keep it, since it need not exist yet.
 */
export function resolvedUnder(policy: Policy, real: string): ResolvedPath {
  const root = policy.writable.find((each) => each !== policy.tempDir && isWithin(real, each));
  const isProtected = policy.confined && root !== undefined && isNamedProtected(real.slice(root.length));
  return { path: real, readable: mayRead(policy, real), writable: mayWrite(policy, real) && !isProtected };
}
