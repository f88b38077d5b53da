import type { Fields } from "./wire.ts";

/** What Zed declares: terminal output under `_meta`, the editor's files, forms, boolean options. */
export const zedCapabilities: Fields = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  auth: { terminal: true },
  session: { configOptions: { boolean: {} } },
  elicitation: { form: {}, url: {} },
  _meta: { terminal_output: true, "terminal-auth": true },
};

/** Zed's terminal card without the editor's file methods: files are then read and written on the disk. */
export const terminalCapabilities: Fields = { _meta: { terminal_output: true } };

/** An editor that has its files to offer, and nothing else. */
export const editorCapabilities: Fields = { fs: { readTextFile: true, writeTextFile: true } };

/** A client that knows output only under the key `terminal_output_delta`. */
export const deltaCapabilities: Fields = { _meta: { terminal_output_delta: true } };

/** A client that declares nothing at all. */
export const plainCapabilities: Fields = {};

/** True if the client declared `path`, such as `fs.readTextFile`, with anything but false and null. */
export function declares(capabilities: Fields, path: string): boolean {
  let value: unknown = capabilities;
  for (const key of path.split(".")) {
    value = typeof value === "object" && value !== null ? (value as Fields)[key] : undefined;
  }
  return value !== undefined && value !== null && value !== false;
}
