import type { Attack } from "./attack.ts";
import { NETWORK } from "./network.ts";
import { PRIVILEGES } from "./privileges.ts";
import { PROCESSES } from "./processes.ts";
import { SECRETS } from "./secrets.ts";
import { WRITES } from "./writes.ts";

/** All attacks that a command can make and whose success it can tell itself. */
export const ATTACKS: readonly Attack[] = [...WRITES, ...SECRETS, ...PROCESSES, ...NETWORK, ...PRIVILEGES];
