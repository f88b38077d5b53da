/** One setting of a git config file. */
export interface GitSetting {
  /** `section.name` or `section.subsection.name`; section and name in lower case. */
  readonly key: string;
  /** Undefined for a name without `=`, which git takes for true. */
  readonly value: string | undefined;
  /** Lines of the file that say it, from the first to before the last. */
  readonly lines: readonly [from: number, to: number];
}

/** Bytes of a config that are looked at; a longer one is none that git wrote. */
export const MAX_CONFIG_BYTES = 256 * 1024;

const SECTION = /^\s*\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/;
const NAME = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s?(.*))?$/;

/** Reads a config as git does; undefined when it is none (git then refuses it too). Pure. */
export function parseGitConfig(text: string): GitSetting[] | undefined {
  const lines = text.replace(/^\ufeff/, "").split("\n").map((line) => line.replace(/\r$/, ""));
  const settings: GitSetting[] = [];
  let section = "";
  for (let at = 0; at < lines.length; at++) {
    const from = at;
    let line = lines[at]!;
    const header = line.match(SECTION);
    if (header) {
      const [whole, name, subsection] = header;
      const lower = name!.toLowerCase();
      section = subsection === undefined ? lower : `${lower}.${subsection.replaceAll(/\\(.)/g, "$1")}`;
      line = line.slice(whole.length);
    }
    if (/^\s*([#;].*)?$/.test(line)) continue;
    while (continues(line) && at + 1 < lines.length) line = line.replace(/\\$/, "") + lines[++at]!;
    const match = line.match(NAME);
    if (match === null || section === "") return undefined;
    const value = match[2] === undefined ? undefined : plainValue(match[2]);
    settings.push({ key: `${section}.${match[1]!.toLowerCase()}`, value, lines: [from, at + 1] });
  }
  return settings;
}

/** Does the line end in a backslash that is not itself escaped? */
function continues(line: string): boolean {
  return (line.match(/\\+$/)?.[0].length ?? 0) % 2 === 1;
}

/** A value without its quotes, escapes and comment. */
function plainValue(raw: string): string {
  let value = "";
  let quoted = false;
  for (let i = 0; i < raw.length; i++) {
    const char = raw[i]!;
    if (char === "\\") value += ESCAPES[raw[++i] ?? ""] ?? raw[i] ?? "";
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === "#" || char === ";")) break;
    else value += char;
  }
  return value.trim();
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };
