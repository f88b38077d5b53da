import { redact } from "./errors.ts";

/** How much is logged; `off` is the default, since some editors show every byte on stderr as an error. */
export type LogLevel = "off" | "error" | "warn" | "info" | "debug";

/** The levels, from silent to chatty. */
export const LOG_LEVELS: readonly LogLevel[] = ["off", "error", "warn", "info", "debug"];

/** Where the agent writes what happened. Never throws, never writes to stdout. */
export interface Log {
  error(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
  info(message: string, facts?: Record<string, unknown>): void;
  debug(message: string, facts?: Record<string, unknown>): void;
}

/** Options of {@linkcode createLog}. */
export interface LogOptions {
  level: LogLevel;
  /** Absolute path of the file to append to; stderr without it. */
  file?: string | undefined;
  /** Values that never reach the log, as they are at each line. */
  secrets?: (() => readonly string[]) | undefined;
}

/** A log that writes one JSON object a line. */
export function createLog(options: LogOptions): Log {
  const threshold = LOG_LEVELS.indexOf(options.level);
  const write = threshold > 0 ? lineWriter(options.file) : () => {};
  const at = (level: LogLevel) => (message: string, facts: Record<string, unknown> = {}) => {
    if (LOG_LEVELS.indexOf(level) > threshold) return;
    write(
      redact(toLine({ time: new Date().toISOString(), level, message, ...facts }), options.secrets?.() ?? []),
    );
  };
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}

/** A log that keeps nothing. */
export const silentLog: Log = createLog({ level: "off" });

function toLine(record: Record<string, unknown>): string {
  try {
    return JSON.stringify(record, (_, v) => typeof v === "bigint" ? String(v) : v) + "\n";
  } catch {
    return JSON.stringify({ level: record.level, message: record.message }) + "\n";
  }
}

function lineWriter(file: string | undefined): (line: string) => void {
  const encoder = new TextEncoder();
  let out: { writeSync(bytes: Uint8Array): number } = Deno.stderr;
  try {
    if (file) out = Deno.openSync(file, { append: true, create: true, mode: 0o600 });
  } catch { /* an unwritable log file must not stop the agent: fall back to stderr */ }
  return (line) => {
    try {
      out.writeSync(encoder.encode(line));
    } catch { /* stderr is closed: nothing is left to tell it to */ }
  };
}
