import { messageOf } from "../../errors.ts";

/** A Markdown file that begins with facts about itself. */
export interface FrontMatter {
  /** All values are plain text, lists or records of it. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What follows. */
  readonly body: string;
}

const FRONT_MATTER = /^---[ \t]*\r?\n(?:(.*?)\r?\n)?---[ \t]*(?:\r?\n|$)/s;

/**
 * Reads a file's front matter, which is YAML; undefined where it has none. A key of `plain` is no YAML: its value
 * is the rest of its line. Never throws.
 */
export async function readFrontMatter(
  text: string,
  plain: readonly string[] = [],
): Promise<FrontMatter | { readonly fault: string } | undefined> {
  const found = FRONT_MATTER.exec(text);
  if (!found) return undefined;
  const own: Record<string, string> = {};
  const yaml = (found[1] ?? "").split(/\r?\n/).filter((line) => {
    const [, key = "", value = ""] = /^([\w-]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (plain.includes(key)) own[key] = unquoted(value.trim());
    return !plain.includes(key);
  }).join("\n");
  const body = text.slice(found[0].length);
  if (yaml.trim() === "") return { fields: own, body };
  try {
    const { parse } = await import("yaml");
    const value: unknown = parse(yaml, { schema: "failsafe", logLevel: "error", maxAliasCount: 0 });
    return { fields: { ...(typeof value === "object" ? value : {}), ...own }, body };
  } catch (e) {
    return { fault: `its front matter is no YAML: ${messageOf(e).split("\n")[0]}` };
  }
}

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;
}

/** Text as one line of at most `max` characters, without what a screen would obey. */
export function oneLine(text: string, max: number): string {
  const line = text.trim().replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
  return line.length <= max ? line : `${line.slice(0, max).toWellFormed()}…`;
}
