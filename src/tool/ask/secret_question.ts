/** Verbs and phrases that ask for a thing itself, not about it. */
const ASKING =
  /\b(?:enter|give|provide|paste|type|tell|share|send|supply|input|insert|reveal|what(?:'s|’s| is| are)|i need|fill in)\b/;
/** What nobody should type into a form. */
const SECRET = new RegExp(
  String.raw`\b(?:password|passphrase|passcode|pin code|api[ _-]?keys?|(?:access|auth|bearer|api|session|` +
    String.raw`github|gitlab|npm|oauth)[ _-]?tokens?|token|secret(?:[ _-]?(?:access[ _-]?)?key)?|` +
    String.raw`(?:private|ssh|signing|encryption) keys?|credentials?|(?:recovery|seed) phrase|cvv|` +
    String.raw`(?:one[ -]time|2fa|otp|verification) code|credit card(?: number)?)\b`,
);
/** The thing itself ends its phrase; "password policy" or "token budget" are other things. */
const PHRASE_END =
  /^\s*(?:$|[?.!:;,)"'`]+(?:\s|$)|(?:here|below|for|to|of|so|now|please|and|that|you|in|on|value)\b)/;
const LOOK_AHEAD = 80;

/**
 * Does a text plainly ask the user to type a secret? A simple rule for English: it catches the honest mistake,
 * not the one who wants to get around it.
 */
export function asksForSecret(text: string): boolean {
  return text.toLowerCase().split(/(?<=[.?!])\s+|\n/).some(sentenceAsks);
}

function sentenceAsks(sentence: string): boolean {
  const bare = sentence.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  if (new RegExp(`^(?:your )?${SECRET.source}$`).test(bare)) return true; // "Password:"
  for (const asking of sentence.matchAll(new RegExp(ASKING, "g"))) {
    const rest = sentence.slice(asking.index + asking[0].length).slice(0, LOOK_AHEAD);
    for (const secret of rest.matchAll(new RegExp(SECRET, "g"))) {
      if (PHRASE_END.test(rest.slice(secret.index + secret[0].length))) return true;
    }
  }
  return false;
}
