import { isAbsolute } from "@std/path/is-absolute";
import { resolve } from "@std/path/resolve";
import { everyCommand } from "./command_line.ts";
import type { CommandLine, SimpleCommand } from "./simple_command.ts";

/** Where a line's commands run; programs read configuration and scripts from there. */
export interface Ground {
  /** True: all of it runs in the workspace's own top directory. */
  readonly atRoot: boolean;
  /** True: all of it runs in the workspace. */
  readonly inside: boolean;
}

/** Follows the changes of directory in a line that starts in `cwd`; without a `workspace`, `cwd` counts as it. */
export function groundOf(line: CommandLine, cwd: string, workspace: string = cwd): Ground {
  const root = resolve(workspace);
  let atRoot = resolve(cwd) === root;
  let inside = isBelow(cwd, root);
  for (const command of everyCommand(line.commands)) {
    const target = targetOf(command);
    if (target === "stays") continue;
    if (target !== undefined && isAbsolute(target)) {
      inside &&= isBelow(target, root);
      atRoot &&= resolve(target) === root;
    } else if (target === undefined || target.split(/[/\\]/).includes("..")) {
      // A relative step starts wherever the steps before it led: it stays inside only if it goes down.
      return { atRoot: false, inside: false };
    } else atRoot &&= /^(\.\/?)+$/.test(target);
  }
  return { atRoot, inside };
}

/** True if `path` is `root` or below it, by its text. Both are absolute. */
export function isBelow(path: string, root: string): boolean {
  const [plain, base] = [resolve(path), resolve(root)];
  return plain === base || (plain.startsWith(base) && /[/\\]$/.test(base)) ||
    plain.startsWith(`${base}/`) || plain.startsWith(`${base}\\`);
}

function targetOf(command: SimpleCommand): string | "stays" | undefined {
  const [program, target, ...more] = command.words;
  // `-execdir` runs in each directory that it finds.
  if (command.words.some((w) => w.text === "-execdir" || w.text === "-okdir")) return undefined;
  if (!/^(cd|pushd|popd)$/.test(program?.text ?? "")) return "stays";
  if (program!.text === "popd" || more.length > 0 || !target?.text || target.text.startsWith("-")) {
    return undefined;
  }
  return target.text;
}
