/** A new id such as `sess_3f…`: unique on every machine, safe as a file name, telling what it names. */
export function randomId(kind: "sess" | "turn" | "msg" | "compact" | "call"): string {
  return `${kind}_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** Is this text an id that {@linkcode randomId} could have made? Guards file names built from ids of clients. */
export function isSessionId(text: string): boolean {
  return /^sess_[0-9a-f]{32}$/.test(text);
}
