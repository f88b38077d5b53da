import type { Preset } from "../config/config.ts";
import { oneLine } from "../errors.ts";
import { code } from "./code.ts";
import type { CommandLine, SimpleCommand } from "./simple_command.ts";
import type { Rule } from "./rules.ts";

/** The model may write much, and anything, for its reasons. */
const MAX_JUSTIFICATION = 300;
const MAX_COMMAND = 120;

/** For the model: a rule forbids the call. */
export function ruleDenies(rule: Rule): string {
  return `The user's configuration forbids ${code(rule.source)}. Find another way, or ask the user.`;
}

/** For the user: a rule of theirs wants the question. */
export function ruleAsks(rule: Rule): string {
  return `Your configuration asks before ${code(rule.source)}.`;
}

/** For the user: a rule of theirs may or may not be met. */
export function mayBeRule(rule: Rule): string {
  return `Whether your rule ${code(rule.source)} is met cannot be told before it runs.`;
}

/** For the user: why a page is asked for. */
export function asksForPages(preset: Preset, host: string): string {
  return `The preset \`${preset}\` asks before anything goes to the network: ${
    code(host)
  } sees the whole address.`;
}

/** For the user: who wants the page. */
export function redirects(from: string, to: string): string {
  if (from === to) return `${code(from)} sends on to the same host by another scheme, http or https.`;
  return `${code(from)} sends on to another host, ${code(to)}.`;
}

/** For the user: what a wider executor means, and the model's words for why. */
export function escalationReason(
  escalate: "network" | "unconfined",
  justification: string | undefined,
): string {
  const what = escalate === "network"
    ? "It asks for the network, for this one call; the rules for files stay."
    : "It asks to run outside the confinement, for this one call: it can then do whatever you can.";
  const words = oneLine((justification ?? "").replace(/[\p{Cc}\p{Cf}“”]/gu, " "), MAX_JUSTIFICATION)
    .toWellFormed();
  return `${what} ${words === "" ? "The model gives no reason." : `The model's words: “${words}”`}`;
}

/** For the user: what `confirm` stumbles over. */
export function unclear(line: CommandLine | undefined, gaps: readonly SimpleCommand[] | undefined): string {
  if (line?.unreadable !== undefined) return `It cannot be judged: ${line.unreadable}.`;
  const [first] = gaps ?? [];
  const name = first && oneLine(first.source, MAX_COMMAND).toWellFormed();
  return name
    ? `The preset \`confirm\` asks before ${code(name)}.`
    : "The preset `confirm` asks before each command that is not known to be harmless.";
}
