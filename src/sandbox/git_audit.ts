import { type GitSetting, parseGitConfig } from "./git_config.ts";

/**
 * Settings that make git run nothing and read nothing else, whatever their value is. All others are taken for
 * doors: git learns new ones with every release.
 */
const HARMLESS = new RegExp(
  "^(" + [
    "core\\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)",
    "core\\.(autocrlf|eol|safecrlf|abbrev|compression|quotepath|commentchar|sparsecheckout|sparsecheckoutcone)",
    "core\\.(whitespace|bigfilethreshold|untrackedcache|preloadindex|protecthfs|protectntfs|trustctime)",
    "branch\\..+\\.(merge|rebase|description)",
    "remote\\..+\\.(fetch|push|tagopt|prune|mirror|pushdefault|skipdefaultupdate|skipfetchall)",
    "submodule\\..+\\.(active|branch|ignore|path|shallow|fetchrecursesubmodules)",
    "submodule\\.(active|recurse|fetchjobs)",
    "user\\.(name|email|useconfigonly)|author\\.(name|email)|committer\\.(name|email)",
    "extensions\\.(objectformat|refstorage|worktreeconfig|noop)",
    "(init\\.defaultbranch|push\\.default|push\\.autosetupremote|pull\\.(rebase|ff)|merge\\.(ff|conflictstyle))",
    "(fetch\\.prune|rebase\\.(autosquash|autostash|updaterefs)|rerere\\.enabled|status\\..+|color\\..+|advice\\..+)",
    "(commit\\.gpgsign|tag\\.gpgsign|gc\\.(auto|autodetach|pruneexpire)|pack\\.(threads|windowmemory))",
  ].join("|") + ")$",
);

/** `ext::` and its like name a program; a leading dash would be an option of one. */
const PLAIN_URL = /^(?!-)(?!.*::)[\x20-\x7e]+$/;
const URL_KEY = /^((remote|submodule)\..+\.(url|pushurl)|branch\..+\.(remote|pushremote))$/;
/** How a submodule is updated; `!command` is a door. */
const UPDATE_KEY = /^submodule\..+\.update$/;
const UPDATES = new Set(["checkout", "rebase", "merge", "none"]);

/** What the check of a value needs to know of the place of its config. */
export interface AuditPlace {
  /** May `core.worktree` be this? It says where a checkout writes. */
  readonly isOwnWorktree: (value: string) => boolean;
}

/** True for a setting that makes the user's git run, read or write nothing of somebody else's choice. Pure. */
export function isHarmless({ key, value }: GitSetting, place: AuditPlace): boolean {
  if (HARMLESS.test(key)) return true;
  if (URL_KEY.test(key)) return value !== undefined && PLAIN_URL.test(value);
  if (UPDATE_KEY.test(key)) return value !== undefined && UPDATES.has(value);
  return key === "core.worktree" && value !== undefined && place.isOwnWorktree(value);
}

/** What an audit found; `text` is the config without it. */
export interface Audit {
  readonly text: string;
  /** The keys that were taken out. */
  readonly doors: readonly string[];
}

/** What git needs at least; in place of a config that cannot be read. */
const LEAST = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n";

/**
 * Takes all doors out of a config but those that `before` has too, with the same value. Pure.
 */
export function auditGitConfig(text: string, place: AuditPlace, before: string = ""): Audit {
  const settings = parseGitConfig(text);
  if (settings === undefined) return { text: before === "" ? LEAST : before, doors: ["all of it"] };
  const known = new Set((parseGitConfig(before) ?? []).map(identity));
  const doors = settings.filter((setting) => !known.has(identity(setting)) && !isHarmless(setting, place));
  if (doors.length === 0) return { text, doors: [] };
  const dropped = new Set(doors.flatMap(({ lines: [from, to] }) => range(from, to)));
  const sections = new Map(headersOf(text, dropped));
  const kept = text.split("\n").flatMap((line, at) => dropped.has(at) ? sections.get(at) ?? [] : [line]);
  const clean = kept.join("\n");
  const left = parseGitConfig(clean)?.some((s) => !known.has(identity(s)) && !isHarmless(s, place)) ?? true;
  return { text: left ? LEAST : clean, doors: [...new Set(doors.map(({ key }) => key))] };
}

/** Lines that are dropped but start a section: their header stays, or what follows would belong to another. */
function headersOf(text: string, dropped: ReadonlySet<number>): [number, string][] {
  return text.split("\n").flatMap((line, at) => {
    const header = dropped.has(at) ? line.match(/^\s*\[[^\]"]*("(?:[^"\\]|\\.)*")?\s*\]/)?.[0] : undefined;
    return header === undefined ? [] : [[at, header] satisfies [number, string]];
  });
}

function identity({ key, value }: GitSetting): string {
  return JSON.stringify([key, value ?? null]);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
