import { matchesHost, parseHostPattern } from "../../config/host_pattern.ts";

/** Longer addresses are not fetched: a question always shows the whole of one. */
const MAX_URL = 2048;
/** DNS has no longer names. */
const MAX_HOST = 253;

/** For the model: why a page cannot be had, and what to do. */
export class FetchError extends Error {
  override readonly name = "FetchError";
}

/**
 * Reads an address as it will be sent: normalised by the URL standard (host in lower case and punycode, IPv4 in
 * four decimals, the rest in ASCII), without its fragment.
 * @throws FetchError for what is no http(s) URL, carries a user name or password, or is too long.
 */
export function readAddress(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (!url) throw new FetchError("This is no URL: give a whole one, such as https://example.org/page.");
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new FetchError(
      `Only http and https can be fetched, not ${url.protocol.slice(0, -1).slice(0, 30)}.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new FetchError("A URL with a user name or password in it is not fetched: take it out.");
  }
  url.hash = "";
  // `example.org.` is the same host under another name: rules and grants must know it by one.
  url.hostname = url.hostname.replace(/\.$/, "");
  // Valid in a query, and the same when encoded; a question has room for an address that needs no escapes.
  url.search = url.search.replaceAll("\\", "%5C");
  if (/^\.|\.\.|\.$/.test(url.hostname)) {
    throw new FetchError("The URL's host is no name: a part of it is empty.");
  }
  if (url.hostname.length > MAX_HOST) throw new FetchError("The URL's host is longer than any name may be.");
  if (url.href.length > MAX_URL) {
    throw new FetchError(`The URL has more than ${MAX_URL} characters: give a shorter one.`);
  }
  return url;
}

/** True if the user's configuration names this host among those that may be private. */
export function mayBePrivate(url: URL, privateHosts: readonly string[]): boolean {
  return privateHosts.map(parseHostPattern).some((p) => p !== undefined && matchesHost(url, p));
}
