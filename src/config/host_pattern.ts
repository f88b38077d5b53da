/**
 * A host as settings name it: `example.org`, `example.org:8080`, `*.example.org` (any name below it, not itself),
 * `*`. Without a port it means all of its ports.
 */
export interface HostPattern {
  /** As a URL spells it: lower case, punycode, IPv4 in four decimals, IPv6 in brackets; empty for `*`. */
  readonly name: string;
  /** True: the names below it. */
  readonly below: boolean;
  readonly port: number | undefined;
}

/** Reads a pattern; undefined if it is none. */
export function parseHostPattern(text: string): HostPattern | undefined {
  if (text === "*") return { name: "", below: true, port: undefined };
  const [, star, host, port] = /^(\*\.)?(\[[^\]]+\]|[^\s:/?#@[\]\\*]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === undefined || !URL.canParse(`http://${host}/`) || Number(port ?? 0) > 65_535) return undefined;
  const name = withoutRootDot(new URL(`http://${host}/`).hostname);
  return { name, below: star !== undefined, port: port === undefined ? undefined : Number(port) };
}

/** Does a URL's host match? `example.org.` is `example.org`. */
export function matchesHost(url: URL, { name, below, port }: HostPattern): boolean {
  const asked = withoutRootDot(url.hostname);
  if (port !== undefined && port !== portOf(url)) return false;
  if (!below) return asked === name;
  return name === "" || asked.endsWith(`.${name}`);
}

function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/** A dot at the end says that the name is whole; it names the same host. */
function withoutRootDot(hostname: string): string {
  return hostname.replace(/\.$/, "");
}
