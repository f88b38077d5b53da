import type { ModelFault } from "./model.ts";

/** How servers say that the history is too long; none of them agrees on a code. */
const TOO_LONG = new RegExp(
  [
    "context[_ ]length",
    "context[_ ]window",
    "context size",
    "maximum context",
    "exceed_context_size",
    "prompt is too long",
    "input is too long",
    "too many (input )?tokens",
    "reduce the length of (the|your)",
  ].join("|"),
  "i",
);

/** What a status and the provider's text mean. Of the 2xx only the text is looked at. */
export function faultOf(status: number | undefined, text: string): ModelFault {
  if (/insufficient[_ ](quota|balance)/i.test(text)) return "payment";
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "payment";
  if (status === 408 || status === 429) return "unavailable";
  if (status !== undefined && status >= 500) return "unavailable";
  if (TOO_LONG.test(text)) return "window";
  return status !== undefined && status >= 400 ? "request" : "stream";
}
