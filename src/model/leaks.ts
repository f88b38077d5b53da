import type { ToolSpec } from "./model.ts";

/** A DSML tag in its raw form; the bars are full-width in DeepSeek's template, but not on every server. */
const DSML = /[<‹]\s*[｜|]\s*DSML\s*[｜|]\s*\w*/;

/**
 * The start of a tool call that a server's template left in the text in place of a call (DeepSeek V4 behind
 * a server without its tool parser). Quoted in backticks or in a fence it is text about the tag, no leak.
 */
export function leakedCall(text: string): string | undefined {
  if (!text.includes("DSML")) return undefined;
  const unquoted = text.replace(/```[\s\S]*?(```|$)/g, "").replace(/`[^`\n]*`/g, "");
  return DSML.exec(unquoted)?.[0];
}

/**
 * True for arguments that a server packed once more, as in `{"arguments": {"command": …}}`. Not so where
 * the tool itself has a parameter of that name.
 */
export function isWrapped(args: string, tool: ToolSpec | undefined): boolean {
  if (!args.includes('"arguments"')) return false;
  const properties = tool?.schema.properties;
  if (typeof properties === "object" && properties !== null && "arguments" in properties) return false;
  try {
    const value: unknown = JSON.parse(args);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    return Object.hasOwn(value, "arguments") &&
      Object.keys(value).every((k) => k === "arguments" || k === "name");
  } catch {
    return false;
  }
}
