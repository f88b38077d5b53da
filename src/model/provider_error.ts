import { oneLine, redact } from "../errors.ts";
import { faultOf } from "./fault.ts";
import { ModelError } from "./model.ts";

/** An error of which another try may do better, as long as nothing of a reply has come. */
export class PassingError extends ModelError {
  /** Milliseconds that the server asks to wait, if it says. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: { status?: number | undefined; retryAfterMs?: number | undefined } = {},
  ) {
    super("unavailable", message, { status: options.status });
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Who answered, and what must never be shown. */
export interface Speaker {
  /** For people, e.g. `DeepSeek`. */
  readonly label: string;
  readonly secrets: readonly string[];
  /** What to do about a refused key. */
  readonly keyHint: string;
}

/** Longest text of a provider that is passed on, in characters. */
const MAX_TEXT = 400;

/** A provider's text on one line, keys taken out before it is cut, so that no half of one is left over. */
export function publicText(text: string, speaker: Speaker): string {
  return oneLine(redact(text, speaker.secrets), MAX_TEXT);
}

/** What to make of an error status and the body that came with it. */
export function httpError(
  speaker: Speaker,
  status: number,
  body: string,
  retryAfterMs: number | undefined,
): ModelError {
  const said = publicText(errorText(body), speaker) || "(no explanation)";
  return toError(
    speaker,
    `${speaker.label} answered ${status}: ${said}`,
    status,
    `${said} ${body}`,
    retryAfterMs,
  );
}

/** What to make of an error that came inside of an answer with status 200. */
export function inBandError(speaker: Speaker, value: unknown, begun: boolean): ModelError {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const said = publicText(errorText(text), speaker) || "(no explanation)";
  if (begun) return new ModelError("stream", `${speaker.label} broke off with an error: ${said}`);
  return toError(speaker, `${speaker.label} answered with an error: ${said}`, codeIn(value), text, undefined);
}

function toError(
  speaker: Speaker,
  message: string,
  status: number | undefined,
  text: string,
  retryAfterMs: number | undefined,
): ModelError {
  const fault = faultOf(status, text);
  if (fault === "unavailable") return new PassingError(message, { status, retryAfterMs });
  return new ModelError(fault, fault === "auth" ? `${message} (${speaker.keyHint})` : message, { status });
}

/** The text for people in an error body, whichever of the usual shapes it has. */
export function errorText(body: string): string {
  const value = parsed(body);
  if (value === undefined) return /^\s*</.test(body) ? htmlTitle(body) : body;
  return textIn(value) ?? body;
}

function textIn(value: unknown): string | undefined {
  if (typeof value === "string") return value || undefined;
  if (Array.isArray(value)) return textIn(value[0]);
  if (typeof value !== "object" || value === null) return undefined;
  const { error, message, detail, msg, metadata } = value as Record<string, unknown>;
  // OpenRouter hides what the real provider said behind "Provider returned error".
  const raw = (metadata as { raw?: unknown } | undefined)?.raw;
  if (typeof message === "string" && typeof raw === "string") return `${message}: ${errorText(raw)}`;
  return textIn(message) ?? textIn(error) ?? textIn(detail) ?? textIn(msg);
}

/** The HTTP status that an error object names as its code, by number or by one of the usual words. */
function codeIn(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { error, code, status, type } = value as Record<string, unknown>;
  if (typeof error === "object" && error !== null) return codeIn(error);
  for (const candidate of [code, status]) {
    const n = Number(candidate);
    if (n >= 400 && n <= 599) return n;
  }
  const words = `${code} ${type}`;
  if (/rate_limit/.test(words)) return 429;
  if (/overloaded|service_unavailable/.test(words)) return 503;
  if (/authentication|invalid_api_key/.test(words)) return 401;
  return /invalid_request|bad_request/i.test(words) ? 400 : undefined;
}

function htmlTitle(body: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1]?.trim();
  return title ? `a web page titled "${title}"` : "a web page";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
