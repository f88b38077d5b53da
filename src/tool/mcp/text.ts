/** Control characters other than line feed and tab. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;
/** What is not seen and can hide words from people: directions, joiners, tags. */
const INVISIBLE = /\p{Cf}/gu;

/** A server's words for people and the model: without what cannot be seen, of at most `max` characters. */
export function plainText(text: string, max: number): string {
  return cut(text.replace(CONTROL, "").replace(INVISIBLE, "").toWellFormed().trim(), max);
}

/** The same as one line. */
export function plainLineOf(text: string, max: number): string {
  const line = plainText(text.replace(/\s+/g, " "), Infinity);
  return line.length <= max ? line : `${line.slice(0, max - 1).toWellFormed()}…`;
}

/** What a tool gave, without characters that no terminal or editor should be sent. */
export function resultText(text: string, max: number): string {
  return cut(text.replace(CONTROL, "").toWellFormed(), max);
}

/** Keeps start and end within `max` characters, and says how much is left out between them. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // A pair of surrogates is not halved.
  const head = text.slice(0, Math.floor(max * 0.75)).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(text.length - Math.floor(max * 0.2)).replace(/^[\udc00-\udfff]/, "");
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}

/** A short hash that stays the same over versions (FNV-1a): names that are cut are told apart by it. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(36).padStart(7, "0").slice(-6);
}
