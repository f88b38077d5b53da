/** What a URI that came with a prompt points to. */
export interface Mention {
  /** In words for the model, such as `file /a b.ts, lines 3–5`: one line, bounded, without `<` and `>`. */
  readonly phrase: string;
  /** The file that it is in, absolute. */
  readonly path?: string | undefined;
  /** The file's line that it begins with, 1-based. */
  readonly line?: number | undefined;
}

/** Characters of a path: what Linux takes. */
const PATH_CHARS = 4096;
/** Characters of a name. */
const NAME_CHARS = 200;
/** Characters of any other URI. */
const URI_CHARS = 2000;

/**
 * Reads the links that editors send, Zed's own among them. `name` is what the client calls it, told where the
 * URI does not say it. Undefined for a scheme that says nothing here. Pure.
 */
export function mentionOf(uri: string, name = ""): Mention | undefined {
  if (uri.startsWith("/")) return named(fileMention(uri, {}), uri, name);
  const url = URL.parse(uri);
  switch (url?.protocol) {
    case "file:":
      return url.host === "" ? fileUrl(url, name) : undefined;
    case "zed:":
      return zedMention(url);
    case "http:":
    case "https:":
      return named({ phrase: `page ${cut(url.href, URI_CHARS)}` }, `${uri} ${url.href}`, name);
    default:
      return undefined;
  }
}

/** A name as it may stand in a line: as it is where nothing in it could be taken for something else, else as JSON. */
export function shown(text: string, max: number = NAME_CHARS): string {
  const bounded = cut(text, max);
  return isPlain(bounded) ? bounded : quoted(bounded);
}

/** A URI as it is, but for what would end its line or begin markup. */
export function shownUri(uri: string): string {
  return cut(uri, URI_CHARS).replace(/[\p{C}\p{Z}<>"]/gu, (c) => encodeURIComponent(c.toWellFormed()));
}

function fileUrl(url: URL, name: string): Mention {
  const range = lineRange(url.hash);
  const { symbol, column, ...others } = Object.fromEntries(url.searchParams);
  // Clients that encode nothing: a `#` or `?` that is no part of a link is a part of the name.
  const query = Object.keys(others).length > 0 ? url.search : "";
  const path = decoded(url.pathname + query + (range ? "" : url.hash));
  const mention = fileMention(path, { range, symbol: query ? undefined : symbol, column });
  return named(mention, `${path} ${symbol ?? ""}`, name);
}

/** What a link says beside the path. */
interface Spot {
  readonly range?: LineRange | undefined;
  readonly symbol?: string | undefined;
  readonly column?: string | undefined;
}

function fileMention(path: string, { range, symbol, column }: Spot): Mention {
  if (path.endsWith("/")) {
    return { phrase: `directory ${shown(path.replace(/(?<=.)\/+$/, ""), PATH_CHARS)}` };
  }
  const of = symbol ? `symbol ${shown(symbol)} in ` : "file ";
  const at = /^\d{1,9}$/.test(column ?? "") ? `, column ${column}` : "";
  return { phrase: `${of}${shown(path, PATH_CHARS)}${inLines(range)}${at}`, path, line: range?.[0] };
}

/** `zed:///agent/KIND…?…`: what Zed attaches that is no file. */
function zedMention(url: URL): Mention | undefined {
  const [, kind = "", id = ""] = /^\/agent\/([^/]+)(?:\/(.*))?$/.exec(url.pathname) ?? [];
  const told = (key: string) => url.searchParams.get(key) ?? "";
  const [name, path, range] = [told("name") || decoded(id), told("path"), lineRange(url.hash)];
  switch (kind) {
    case "file":
    case "selection":
      return path ? fileMention(path, { range }) : undefined;
    case "directory":
      return path ? fileMention(`${path}/`, {}) : undefined;
    case "symbol":
      return path ? fileMention(path, { range, symbol: decoded(id) }) : undefined;
    case "thread":
    case "text-thread":
      return { phrase: `another thread, ${inQuotes(name)}` };
    case "rule":
    case "skill":
      return { phrase: `${kind} ${inQuotes(name)}${path ? ` of ${shown(path, PATH_CHARS)}` : ""}` };
    case "diagnostics":
      return { phrase: "diagnostics" };
    case "terminal-selection":
      return { phrase: /^\d{1,9}$/.test(told("lines")) ? `terminal, ${lines(told("lines"))}` : "terminal" };
    case "untitled-buffer":
      return { phrase: `unsaved buffer${inLines(range)}` };
    case "git-diff":
      return { phrase: `git diff${told("base") ? ` against ${shown(told("base"))}` : ""}` };
    case "merge-conflict":
      return { phrase: `merge conflict${path ? ` in ${shown(path, PATH_CHARS)}` : ""}` };
    case "pasted-image":
      return { phrase: `pasted image${name ? ` ${inQuotes(name)}` : ""}` };
    default:
      return undefined;
  }
}

/** First and last line, 1-based. */
type LineRange = readonly [from: number, to: number];

/** `#L10`, `#L10:20`, `#L10-20`, `#L10-L20`, with columns (`#L10C3-L20C5`) that are not told. */
function lineRange(hash: string): LineRange | undefined {
  const [, from, to] = /^#L(\d{1,9})(?:C\d+)?(?:[:-]L?(\d{1,9})(?:C\d+)?)?$/.exec(hash) ?? [];
  if (from === undefined) return undefined;
  const [a, b] = [Number(from), Number(to ?? from)];
  return a <= b ? [a, b] : [b, a];
}

function inLines(range: LineRange | undefined): string {
  if (!range) return "";
  const [from, to] = range;
  return from === to ? `, line ${from}` : `, lines ${from}–${to}`;
}

function lines(count: string): string {
  return count === "1" ? "1 line" : `${count} lines`;
}

/** The mention with its name, where neither says the other. */
function named(mention: Mention, said: string, name: string): Mention {
  const last = said.trim().replace(/\/$/, "").split(/[/ ]/).at(-1) ?? "";
  // `a.ts (10:20)` is what Zed calls a selection: it says no more than the link.
  const isSaid = said.includes(name.trim()) || last !== "" && `${name} `.startsWith(`${last} `);
  return isSaid ? mention : { ...mention, phrase: `${mention.phrase} (${inQuotes(name)})` };
}

function inQuotes(text: string): string {
  return quoted(cut(text, NAME_CHARS));
}

function quoted(text: string): string {
  const escape = (c: string) => [...Array(c.length).keys()].map((i) => `\\u${hex(c.charCodeAt(i))}`).join("");
  return JSON.stringify(text).replace(/[<>\p{C}\p{Zl}\p{Zp}]/gu, escape);
}

function hex(unit: number): string {
  return unit.toString(16).padStart(4, "0");
}

/** One line, no markup, no quotes, nothing that cannot be seen, and no bracket that would end the one around it. */
function isPlain(text: string): boolean {
  if (text === "" || text !== text.trim() || /[\p{C}\p{Zl}\p{Zp}<>"`\\]/u.test(text)) return false;
  let depth = 0;
  for (const c of text) {
    if (c === "[") depth++;
    if (c === "]" && --depth < 0) return false;
  }
  return depth === 0;
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}

/** Percent-decoded, where it is percent-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
