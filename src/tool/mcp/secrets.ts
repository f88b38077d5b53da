import type { McpServerConfig } from "../../config/config.ts";
import { redact } from "../../errors.ts";
import { looksSecret } from "../../sandbox/env.ts";

/** Headers that say nothing that is not public. */
const OPEN_HEADERS = /^(accept(-.*)?|content-.*|user-agent|mcp-.*)$/i;
/** Long, without spaces or slashes, letters and digits: nothing that a person would write. */
const RANDOM = /^(?=.*\d)(?=.*[A-Za-z])[^\s/]{16,}$/;

/** The values of a server's settings that must never be shown. */
export function secretsIn({ transport }: McpServerConfig): string[] {
  if (transport.kind === "stdio") {
    return Object.entries(transport.env)
      .filter(([name, value]) => looksSecret(name, value) || RANDOM.test(value))
      .map(([, value]) => value);
  }
  const headers = Object.entries(transport.headers).filter(([name]) => !OPEN_HEADERS.test(name))
    // `Bearer TOKEN`: the token alone is the secret, wherever it turns up.
    .flatMap(([, value]) => [value, ...value.split(/\s+/).slice(1)]);
  return [...headers, ...urlSecrets(transport.url)];
}

/** A function that takes these values out of any text. Longer ones go first, as they may hold shorter ones. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const sorted = secrets.toSorted((a, b) => b.length - a.length);
  return (text) => redact(text, sorted);
}

function urlSecrets(address: string): string[] {
  const url = URL.parse(address);
  if (!url) return [];
  const query = [...url.searchParams].filter(([name, value]) =>
    looksSecret(name, value) || RANDOM.test(value)
  );
  return [url.password, ...query.map(([, value]) => value)].filter((value) => value !== "");
}
