import { onStage } from "../support/on_stage.ts";
import { cancelChecks } from "./checks/cancelling.ts";
import type { Check } from "./checks/check.ts";
import { initializing } from "./checks/initialize.ts";
import { sessionChecks } from "./checks/sessions.ts";
import { toolChecks } from "./checks/tools.ts";
import { transport } from "./checks/transport.ts";
import { turnChecks } from "./checks/turns.ts";

/** The checklist of the protocol in its order: the number of each check stands in front of it. */
const GROUPS: Readonly<Record<string, readonly Check[]>> = {
  "transport": transport,
  "initialize": initializing,
  "sessions": sessionChecks,
  "turns": turnChecks,
  "cancellation": cancelChecks,
  "tools and load": toolChecks,
};

for (const [group, checks] of Object.entries(GROUPS)) {
  onStage(`protocol checks: ${group}`, { files: { "a.txt": "one\n" } }, async (stage, t) => {
    for (const [statement, prove] of checks) await t.step(statement, async () => await prove(stage));
  });
}
