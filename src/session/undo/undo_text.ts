import { isWithin } from "../../sandbox/paths.ts";
import { code } from "../../tool/view.ts";
import { oneLine } from "../guidance/front_matter.ts";
import { promptText } from "../prompt/prompt_text.ts";
import type { FileOutcome, Undone } from "./undone.ts";

/** Lines of each list; the rest is counted. */
const MAX_LISTED = 50;
const MAX_COMMAND = 100;
const MAX_PROMPT = 60;

/** For the user, as Markdown: what was taken back, what was not and why. */
export function undoText({ turn, files }: Undone, cwd: string): string {
  const name = (path: string) => code(shownPath(path, cwd));
  const back = files.flatMap((f) =>
    "back" in f ? [`${name(f.path)}${f.back === "removed" ? " (removed)" : ""}`] : []
  );
  const left = files.flatMap((f) => "left" in f ? [`${name(f.path)}: ${f.left}`] : []);
  const commands = turn.commands.map((command) => code(oneLine(command, MAX_COMMAND)));
  const asked = oneLine(promptText(turn.prompt), MAX_PROMPT);
  const of = asked === "" ? "the last turn that changed files" : `the turn ${code(asked)}`;
  return [
    back.length > 0 ? [`The changes of ${of} are taken back:`, ...listed(back)] : [
      `Nothing of ${of} was taken back${files.length > 0 ? "." : ": its files are as they were before it."}`,
    ],
    left.length > 0 ? ["Left as they are:", ...listed(left)] : [],
    commands.length > 0 ? ["What commands changed in it is not taken back:", ...listed(commands)] : [],
  ].filter((block) => block.length > 0).map(([head, ...lines]) => [head, "", ...lines].join("\n").trimEnd())
    .join("\n\n");
}

/** For the model; undefined where no file was touched. */
export function toldText(files: readonly FileOutcome[]): string | undefined {
  const named = files.flatMap((f) =>
    "back" in f ? [f.back === "removed" ? `${f.path} (removed)` : f.path] : []
  );
  if (named.length === 0) return undefined;
  const more = named.length > MAX_LISTED ? ` and ${named.length - MAX_LISTED} more` : "";
  return "The user took back your changes of an earlier turn; these files are again as they were before it: " +
    `${named.slice(0, MAX_LISTED).join(", ")}${more}. Read them again before you change them.`;
}

function listed(lines: readonly string[]): string[] {
  const shown = lines.slice(0, MAX_LISTED).map((line) => `- ${line}`);
  return lines.length > MAX_LISTED ? [...shown, `- and ${lines.length - MAX_LISTED} more`] : shown;
}

/** As short as it goes from the session's directory. */
function shownPath(path: string, cwd: string): string {
  return path !== cwd && isWithin(path, cwd) ? path.slice(cwd.length).replace(/^\//, "") : path;
}
