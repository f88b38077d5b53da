import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { messageOf } from "../../errors.ts";
import { FetchError } from "./fetch_url.ts";

/**
 * All that a server is told beside the address. It is the same for everyone; no key, cookie or variable of the
 * environment goes along, and no proxy of the environment is used: it would look names up by itself.
 */
const HEADERS = {
  "user-agent": "Mozilla/5.0 (compatible; dsh-acp)",
  "accept": "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5",
  "accept-encoding": "gzip",
};

/** Asks for one address, on a connection of its own; resolves when the head of the answer is there. */
export function request(url: URL, lookup: LookupFunction, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((done, fail) => {
    const { request } = url.protocol === "https:" ? https : http;
    request(url, { headers: HEADERS, agent: false, lookup, signal }, done)
      .on("error", (e) => fail(failure(e, url)))
      .end();
  });
}

/** What went wrong on the way, in words. */
export function failure(error: unknown, url: URL): FetchError {
  if (error instanceof FetchError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  return new FetchError(`${url.host} could not be fetched: ${CAUSES[String(code)] ?? messageOf(error)}`, {
    cause: error,
  });
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no host of this name, or no network.",
  EAI_AGAIN: "its name could not be looked up just now.",
  ECONNREFUSED: "it refused the connection.",
  ECONNRESET: "it closed the connection before the answer was whole.",
  HPE_HEADER_OVERFLOW: "the head of its answer is too large.",
  Z_DATA_ERROR: "its answer is said to be gzip and is not.",
  Z_BUF_ERROR: "it closed the connection before the answer was whole.",
};
