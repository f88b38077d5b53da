import { resolve } from "@std/path/resolve";
import type { CommandExit } from "../../bash/executor_handle.ts";
import type { Preset } from "../../config/config.ts";
import { isWithin } from "../../sandbox/paths.ts";
import type { ConfinementReport } from "../../sandbox/report.ts";
import { HOME_SECRETS, MACHINE_SECRETS, ROOT_SECRETS } from "../../sandbox/secrets.ts";
import { type Cause, FILE_REFUSED, READERS, SIGNS } from "./confinement_signs.ts";

/** Characters from the end of an output that are looked at: a failure is told last. */
const LOOKED_AT = 16 * 1024;

/** What a guess at the cause of a failure rests on. */
export interface HintInput {
  /** What the command printed, at least its end. */
  readonly output: string;
  readonly exit: CommandExit;
  /** What held for the command. */
  readonly report: ConfinementReport;
  readonly preset: Preset;
  readonly escalated: "network" | "unconfined" | undefined;
  /** The workspace, and where the command ran; absolute. Without it, every absolute path lies outside. */
  readonly workspace?: string;
  readonly cwd?: string;
}

/** What was run into: a cause of the table, or one that a path tells. */
type Found = { readonly cause: Cause | FileCause; readonly unsure?: boolean } | undefined;
type FileCause = "secret" | "outside" | "read-only" | "protected" | "anything";

/**
 * One line for the model if a command probably failed for its confinement: what is closed, and what it may ask
 * for. Empty when the command ended well or nothing confined it, or when nothing points to the confinement.
 */
export function confinementHint(input: HintInput): string {
  if (!("code" in input.exit) || input.exit.code === 0) return "";
  if (input.preset === "full-access" || input.escalated === "unconfined" || !confines(input.report)) {
    return "";
  }
  const output = input.output.slice(-LOOKED_AT);
  const found = fromSigns(output, input) ?? fromPaths(output, input) ?? fromDoubt(output);
  if (!found) return "";
  return `[${found.unsure ? "Perhaps the sandbox is why" : "Sandbox"}: ${WORDS[found.cause]}]`;
}

/** Programs that wait for a network which is not there, often without a word. */
const WAITS_FOR_NETWORK =
  /\b(?:npm|pnpm|yarn|bun) (?:i|install|ci|add|update|exec|create|publish)\b|\b(?:npx|pip3?|uvx?|poetry|cargo|go|gem|bundle|apt(?:-get)?|brew|curl|wget|ssh|scp|rsync|docker)\b|\bgit (?:clone|fetch|pull|push|ls-remote|submodule)\b/;

/** One line for the model if a command that was stopped for its time probably waited for the network. */
export function timeoutHint(
  command: string,
  { report, preset, escalated }: Omit<HintInput, "output" | "exit">,
): string {
  if (preset === "full-access" || escalated !== undefined || !confines(report)) return "";
  return WAITS_FOR_NETWORK.test(command) ? `[Perhaps the sandbox is why: ${WORDS.network}]` : "";
}

/** Without a layer of the kernel or of Deno, nothing was refused that the user could not do himself. */
function confines({ enforcement, layers }: ConfinementReport): boolean {
  return enforcement !== "none" || layers.includes("deno");
}

/** The first sign, as far as the command's executor keeps closed what it tells of. */
function fromSigns(output: string, { escalated, report }: HintInput): Found {
  const sign = SIGNS.find(({ pattern, layer }) =>
    (layer === undefined || report.layers.includes(layer)) && pattern.test(output)
  );
  return sign && escalated === "network" && OPEN_WITH_NETWORK.has(sign.cause) ? undefined : sign;
}

const OPEN_WITH_NETWORK: ReadonlySet<Cause> = new Set(["network", "sockets", "localhost", "ssh"]);

/** Judges the last refused path: a secret, one that is kept from commands, or one outside of what is writable. */
function fromPaths(output: string, input: HintInput): Found {
  const lines = output.split("\n").filter((line) => FILE_REFUSED.test(line)).reverse();
  for (const line of lines) {
    const told = line.replace(/^\/\S*sh: (?:line \d+: )?/, "");
    for (const path of pathsIn(told, input.cwd).reverse()) {
      const cause = judge(path, told, input);
      if (cause) return { cause };
    }
  }
  return undefined;
}

function judge(path: string, line: string, { workspace, preset }: HintInput): FileCause | undefined {
  if (isSecret(path)) return "secret";
  if (READERS.test(line)) return undefined;
  if (workspace === undefined || !isWithin(path, workspace)) return "outside";
  if (preset === "read-only") return "read-only";
  return PROTECTED.test(path.slice(workspace.length)) ? "protected" : undefined;
}

/** Absolute paths, and those that lead upwards. */
function pathsIn(line: string, cwd = "/"): string[] {
  const found = line.matchAll(/(?<![\w.~:/-])(?:\/|\.\.\/)[^\s'"‘’“”`:,;()[\]]*/g);
  return [...found].map(([path]) => resolve(cwd, path));
}

/** By the names of the places alone: what lies where is the executor's business. */
function isSecret(path: string): boolean {
  return HOME_SECRETS.some((name) => `${path}/`.includes(`/${name}/`)) ||
    [...MACHINE_SECRETS, ...ROOT_SECRETS].some((place) => isWithin(path, place));
}

/** What the user's own git, editor or shell would later run, by its names in a workspace. */
const PROTECTED =
  /\/\.git(?:\/|$)|\/\.gitmodules$|\/\.(?:vscode|idea|husky|devcontainer)(?:\/|$)|\/\.mcp\.json$|\/\.(?:envrc|\w+rc|\w*profile)$/;

/** A refusal of which nothing more is known. */
function fromDoubt(output: string): Found {
  const last = output.split("\n").filter((line) => FILE_REFUSED.test(line)).at(-1);
  if (last === undefined || pathsIn(last.replace(/^\/\S*sh: /, "")).length > 0 || /^\S*sh: /.test(last)) {
    return undefined; // a path was judged already, or a shell could not start a file: rights, not confinement
  }
  return READERS.test(last) ? undefined : { cause: "anything", unsure: true };
}

const AGAIN_NETWORK = 'call again with escalate: "network" and a justification';
const AGAIN_UNCONFINED = 'call again with escalate: "unconfined" and a justification';

const WORDS: Readonly<Record<Cause | FileCause, string>> = {
  "network": `there is no network. If this needs it, ${AGAIN_NETWORK}.`,
  "sockets": `programs can open no sockets, not even on localhost. If this needs them, ${AGAIN_NETWORK}.`,
  "localhost":
    `localhost is its own, only this session's commands listen there. For a server outside it, ${AGAIN_NETWORK}.`,
  "ssh": `there is no network, and ssh keys are closed. If the user wants this, ${AGAIN_UNCONFINED}.`,
  "logins": `the user's keys and logins are closed. If the user wants this, ${AGAIN_UNCONFINED}.`,
  "service":
    `services of the machine (Docker, D-Bus, key agents) cannot be reached. If this needs one, ${AGAIN_UNCONFINED}.`,
  "tmp":
    `/tmp is this session's own, files of others are not in it. If this needs one of them, ${AGAIN_UNCONFINED}.`,
  "kernel":
    `no mounts, namespaces, other owners or other users' processes. If this needs them, ${AGAIN_UNCONFINED}.`,
  "secret": "this place holds secrets and is closed on purpose. Go on without it, or ask the user.",
  "outside": `commands write only in the workspace and in $TMPDIR. Write there, or ${AGAIN_UNCONFINED}.`,
  "read-only":
    `in the preset read-only commands write only in $TMPDIR. Use edit and write for files, or ${AGAIN_UNCONFINED}.`,
  "protected":
    `the user's git, editor or shell would run what this file says, so commands cannot change it. Leave it, or ${AGAIN_UNCONFINED}.`,
  "anything":
    `there is no network, and commands write only in the workspace and in $TMPDIR. If so, call again with escalate: "network" or "unconfined" and a justification.`,
};
