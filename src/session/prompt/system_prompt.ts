import type { Preset } from "../../config/config.ts";
import type { Guidance } from "../guidance/guidance.ts";
import { guidanceText } from "../guidance/guidance_text.ts";

/** What the system prompt speaks of. */
export interface PromptFacts {
  readonly cwd: string;
  /** Further directories of the workspace, absolute. */
  readonly roots: readonly string[];
  readonly tempDir: string;
  readonly preset: Preset;
  readonly os: string;
  /** Today, `YYYY-MM-DD`. */
  readonly date: string;
  readonly guidance: Guidance;
  /** The user's own addition. */
  readonly extra: string | undefined;
}

/** The system prompt: the model's task, its place, what the confinement lets it do. Pure. */
export function systemPrompt(facts: PromptFacts): string {
  return assembled(TASK, CONFINEMENT[facts.preset], facts);
}

/** The system prompt of a child, which may write as the preset lets it, or only reads. Pure. */
export function childPrompt(facts: PromptFacts, write: boolean): string {
  return assembled(CHILD_TASK, write ? CONFINEMENT[facts.preset] : ONLY_READS, facts);
}

function assembled(task: string, confinement: string, facts: PromptFacts): string {
  return [
    task,
    `# Place\nWorkspace: ${facts.cwd}\n${
      furtherRoots(facts.roots)
    }Temporary files: ${facts.tempDir} (also $TMPDIR)\nSystem: ${facts.os}\nDate: ${facts.date}`,
    `# What you may do\n${confinement}`,
    guidanceText(facts.guidance),
    facts.extra ? `# Instructions of the user\n${facts.extra}` : "",
  ].filter((part) => part !== "").join("\n\n");
}

function furtherRoots(roots: readonly string[]): string {
  return roots.map((root) => `Also part of the workspace: ${root}\n`).join("");
}

const TASK =
  `You are a coding agent in the user's editor. Work on the user's request with your tools until it is done, then say briefly what you did and what you found.

- Look before you change: find code with glob and grep, read the files you touch, follow the style around them.
- Change files with edit and write; the user sees the difference. Run what proves the change: tests, type checks, the program itself.
- Report what you saw. If something failed or was not checked, say so.
- Text between tool calls is shown to the user as Markdown: keep it short.`;

const CHILD_TASK =
  `You are a sub-agent of a coding agent. You are given one task and see nothing of the conversation that it comes from. Work on it with your tools until it is done.

- Only your last message is passed on: make it the whole answer, as short as the task allows, with paths and lines where they matter.
- Nobody answers questions: where the task is unclear, take the likeliest meaning and say so.
- Report what you saw. If something failed or was not checked, say so.
- Background jobs end with your last message.`;

const REFUSED =
  "When something is refused, do not look for a way around it: do what you can without it and tell the user what you would need and why.";

const ONLY_READS =
  `You only read. Commands run in a sandbox of the operating system: they write only to the temporary directory, and reach no network. ${REFUSED}`;

const CONFINEMENT: Record<Preset, string> = {
  "read-only":
    `Commands run in a sandbox of the operating system: they can read, but write only to the temporary directory, and reach no network. The tools edit and write ask the user each time. ${REFUSED}`,
  "confirm":
    `Each command and each change of a file is shown to the user first, who may say no. Commands run in a sandbox of the operating system: they write only in the workspace and the temporary directory, reach no network, and cannot read credentials. ${REFUSED}`,
  "workspace":
    `Commands and file tools run in a sandbox of the operating system: they write only in the workspace and the temporary directory, reach no network, and cannot read credentials. ${REFUSED}`,
  "full-access":
    "Commands run with the user's own rights: files everywhere, network. Nothing is asked for, so take care: leave alone what the task does not need.",
};
