import type { IncomingMessage } from "node:http";
import { checkedLookup, refusePrivate, type Resolve, systemResolve } from "./fetch_address.ts";
import { decodeText, type Kind, kindOf, readBody, sniff } from "./fetch_body.ts";
import { markdownOf } from "./fetch_html.ts";
import { failure, request } from "./fetch_request.ts";
import { FetchError, readAddress } from "./fetch_url.ts";

/** Bytes of an answer that are read, decompressed. */
export const MAX_BYTES: number = 5 * 1024 * 1024;
/** The same for HTML, of which a megabyte can take seconds to read. */
const MAX_HTML_BYTES = 2 * 1024 * 1024;
/** Milliseconds for all requests of a call together; the time that a user thinks about a question is not counted. */
const TIME_LIMIT = 30_000;
const MAX_REDIRECTS = 5;

/** A page, or what is to be said of it. */
export interface Page {
  /** Where it was in the end. */
  readonly url: URL;
  readonly status: number;
  /** Such as `text/html`; empty if the server did not say. */
  readonly mediaType: string;
  /** Bytes that were read, or that the server announced for what was not read; undefined where it did not. */
  readonly size: number | undefined;
  /** True: the answer is longer than what is read of one. */
  readonly cut: boolean;
  readonly title: string | undefined;
  readonly kind: Kind;
  /** Markdown for HTML, else the text itself; undefined for images and other binaries. */
  readonly text: string | undefined;
}

/** What a page is fetched with. */
export interface FetchOptions {
  readonly privateHosts: readonly string[];
  /** Asks for leave to fetch from a host; throws when there is none. `from` is the host that sends on to it. */
  readonly permit: (url: URL, from: string | undefined) => Promise<void>;
  readonly signal: AbortSignal;
  readonly resolve?: Resolve;
  /** Milliseconds. */
  readonly timeLimit?: number;
}

/**
 * Fetches a page and makes text of it. Redirects are followed by hand: each address is checked, and each further
 * origin asked for, as if it had been the first: a rule may name a port, which another scheme changes.
 * @throws FetchError in words for the model; what `permit` throws; the signal's reason once it is aborted.
 */
export async function fetchPage(start: URL, options: FetchOptions): Promise<Page> {
  const clock = new Clock(options.timeLimit ?? TIME_LIMIT);
  const permitted = new Set<string>();
  let url = start;
  let from: string | undefined;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    refusePrivate(url, options.privateHosts);
    if (!permitted.has(url.origin)) await options.permit(url, from);
    permitted.add(url.origin);
    from = url.host;
    const got = await clock.run(url, options.signal, (signal) => hop(url, options, signal));
    if (got instanceof URL) url = got;
    else return got.kind === "html" ? { ...got, ...await markdownOf(got.text!, url, options.signal) } : got;
  }
  throw new FetchError(
    `${start.host} was redirected more than ${MAX_REDIRECTS} times; it stands at ${url.href}`,
  );
}

async function hop(url: URL, options: FetchOptions, signal: AbortSignal): Promise<URL | Page> {
  const lookup = checkedLookup(url, options.privateHosts, options.resolve ?? systemResolve);
  const message = await request(url, lookup, signal);
  try {
    return redirectOf(message, url) ?? await pageOf(message, url);
  } finally {
    message.destroy();
  }
}

function redirectOf({ statusCode, headers }: IncomingMessage, url: URL): URL | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode ?? 0) && headers.location !== undefined;
  return isRedirect ? readAddress(headers.location!, url) : undefined;
}

/** The page as it was sent, HTML as its source. */
async function pageOf(message: IncomingMessage, url: URL): Promise<Page> {
  const contentType = message.headers["content-type"] ?? "";
  const mediaType = contentType.split(";")[0]!.trim().toLowerCase().slice(0, 100);
  const named = kindOf(mediaType);
  const head = { url, status: message.statusCode ?? 0, mediaType, title: undefined };
  if (named === "image" || named === "binary") {
    const length = Number(message.headers["content-length"] ?? NaN);
    return {
      ...head,
      kind: named,
      text: undefined,
      cut: false,
      size: Number.isSafeInteger(length) ? length : undefined,
    };
  }
  const { bytes, cut } = await readBody(message, named === "html" ? MAX_HTML_BYTES : MAX_BYTES);
  const kind = named ?? sniff(bytes);
  const about = { ...head, kind, cut, size: bytes.length };
  return { ...about, text: kind === "binary" ? undefined : decodeText(bytes, contentType) };
}

/** Counts the time that requests take, without what lies between them. */
class Clock {
  readonly #limit: number;
  #left: number;

  constructor(limit: number) {
    this.#limit = this.#left = limit;
  }

  /** Runs one request; ends it when the time is up or `cancel` is aborted, and says which. */
  async run<T>(url: URL, cancel: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), Math.max(0, this.#left));
    const began = performance.now();
    try {
      return await work(AbortSignal.any([cancel, late.signal]));
    } catch (e) {
      cancel.throwIfAborted();
      if (late.signal.aborted) {
        throw new FetchError(`${url.host} gave no whole answer within ${this.#limit / 1000} seconds.`);
      }
      throw failure(e, url);
    } finally {
      clearTimeout(timer);
      this.#left -= performance.now() - began;
    }
  }
}
