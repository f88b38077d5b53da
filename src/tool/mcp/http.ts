import {
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { McpServerConfig } from "../../config/config.ts";

/** Bytes of one message, or of one line of a stream of messages. */
const MAX_MESSAGE = 16 * 1024 * 1024;

type Remote = Extract<McpServerConfig["transport"], { kind: "http" | "sse" }>;

/** The transport to a server on the network. @throws Error for an address that is no web address. */
export function remoteTransport({ kind, url, headers }: Remote): Transport {
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol)) throw new Error("its address is no http(s) URL");
  const options = { requestInit: { headers: { ...headers } }, fetch: boundedFetch };
  return kind === "sse"
    ? new SSEClientTransport(address, options)
    : new StreamableHTTPClientTransport(address, options);
}

/** What a failure on the way to a server means, for people; undefined for one that says enough by itself. */
export function remoteFault(e: unknown): string | undefined {
  const status = e instanceof SdkHttpError ? e.status : e instanceof SseError ? e.code : undefined;
  if (status === 401 || e instanceof UnauthorizedError) {
    return "it wants a login (HTTP 401): logging in by a browser is not supported, put a token into its headers";
  }
  if (status === 403) return "it refuses access (HTTP 403): see whether its headers hold the right token";
  if (status !== undefined && status >= 300) {
    return `it answers with HTTP ${status}: see whether its address and type are right`;
  }
  return undefined;
}

/** A body without end must not fill the memory. */
const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!response.body) return response;
  const body = response.body.pipeThrough(new TransformStream(lineBound(MAX_MESSAGE)));
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
};

function lineBound(limit: number): Transformer<Uint8Array, Uint8Array> {
  const NEWLINE = 10;
  let size = 0;
  return {
    transform(chunk, controller) {
      const last = chunk.lastIndexOf(NEWLINE);
      size = last < 0 ? size + chunk.length : chunk.length - last - 1;
      if (size > limit) {
        controller.error(new Error(`it sent a message of more than ${limit / 1024 / 1024} MiB`));
      } else controller.enqueue(chunk);
    },
  };
}
