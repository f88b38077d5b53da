/**
 * Loads the MCP client library, and is itself loaded when a session with servers is opened; `mended.ts`, the other
 * such module, when a call is made.
 *
 * @module
 */
import {
  Client,
  type ElicitRequestParams,
  type ElicitResult,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { toFileUrl } from "@std/path/to-file-url";
import type { McpServerConfig } from "../../config/config.ts";
import { messageOf } from "../../errors.ts";
import { remoteFault, remoteTransport } from "./http.ts";
import { StdioTransport } from "./stdio.ts";

/** Milliseconds in which a server has to answer `initialize` and requests for its lists. */
export const START_MS = 30_000;
/** Milliseconds in which the end of a process is known once its pipe is broken. */
const END_MS = 300;
/** Milliseconds that a server on the network is given to end the session. */
const GOODBYE_MS = 300;

/** Where and as whom a server is spoken to. */
export interface ConnectOptions {
  readonly spec: McpServerConfig;
  readonly cwd: string;
  /** The environment of a process, without what the server's own settings add. */
  readonly environment: Readonly<Record<string, string>>;
  readonly client: { readonly name: string; readonly version: string };
  /** Which ways of asking the user there are. */
  readonly elicits: { readonly form: boolean; readonly url: boolean };
  readonly hooks: ConnectionHooks;
}

/** What a server may ask for and tell by itself. None of it throws. */
export interface ConnectionHooks {
  /** Absolute paths. */
  roots(): readonly string[];
  elicit(params: ElicitRequestParams): Promise<ElicitResult>;
  elicitationDone(id: string): void;
  /** One of its lists is another one. */
  changed(): void;
  /** It is gone, for this reason; called once, not after `close`. */
  closed(cause: string): void;
}

/** A server that has answered. */
export interface Connection {
  readonly client: Client;
  /** What a failure of a request means, in words; whether the process has ended is known then. Never rejects. */
  faultOf(e: unknown): Promise<string>;
  /** Does a failure mean that the server has to be connected to anew? Of a process its end tells that. */
  isLost(e: unknown): boolean;
  /** Ends the session, and the process. Never rejects. */
  close(): Promise<void>;
}

/** Connects to a server. @throws Error whose message says in one line why that failed. */
export async function connect(options: ConnectOptions, signal: AbortSignal): Promise<Connection> {
  signal.throwIfAborted();
  const { spec, cwd, environment, hooks } = options;
  const { transport: how } = spec;
  const transport: Transport = how.kind === "stdio"
    ? new StdioTransport({ command: how.command, args: how.args, env: { ...environment, ...how.env }, cwd })
    : remoteTransport(how);
  const client = newClient(options);
  const faultOf = async (e: unknown) => {
    // A pipe breaks before it is known how the process ended.
    if (transport instanceof StdioTransport && !isAnswer(e)) await transport.endedWithin(END_MS);
    return describe(e, transport);
  };
  let state: "connecting" | "open" | "closed" = "connecting";
  client.onclose = () => {
    if (state === "open") hooks.closed(describe(undefined, transport));
  };
  const close = async () => {
    state = "closed";
    if ("terminateSession" in transport) await goodbye(transport as { terminateSession(): Promise<void> });
    await client.close().catch(() => {});
    await transport.close().catch(() => {}); // a client that never connected leaves it open
  };
  try {
    await inTime(client.connect(transport, { timeout: START_MS, signal }), signal);
  } catch (e) {
    const fault = await faultOf(e);
    await close();
    throw new Error(fault);
  }
  state = "open";
  return { client, faultOf, isLost: (e) => how.kind !== "stdio" && !isAnswer(e) && !isTimeout(e), close };
}

function newClient({ client: info, elicits, hooks }: ConnectOptions): Client {
  const elicitation = {
    ...(elicits.form ? { form: {} } : {}),
    ...(elicits.url ? { url: {} } : {}),
  };
  const asks = elicits.form || elicits.url;
  const client = new Client({ ...info }, {
    capabilities: { roots: { listChanged: true }, ...(asks ? { elicitation } : {}) },
  });
  client.setRequestHandler("roots/list", () => ({
    roots: hooks.roots().map((path) => ({
      uri: toFileUrl(path).href,
      name: path.slice(path.lastIndexOf("/") + 1),
    })),
  }));
  if (asks) client.setRequestHandler("elicitation/create", ({ params }) => hooks.elicit(params));
  client.fallbackRequestHandler = ({ method }) => Promise.reject(refusal(method));
  client.setNotificationHandler("notifications/elicitation/complete", ({ params }) => {
    hooks.elicitationDone(params.elicitationId);
  });
  client.setNotificationHandler("notifications/tools/list_changed", () => hooks.changed());
  client.setNotificationHandler("notifications/prompts/list_changed", () => hooks.changed());
  client.setNotificationHandler("notifications/resources/list_changed", () => hooks.changed());
  return client;
}

function refusal(method: string): ProtocolError {
  const why = method === "sampling/createMessage"
    ? "This client gives servers no access to its model, and has not declared sampling."
    : `This client knows no ${method}.`;
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, why);
}

function isAnswer(e: unknown): boolean {
  return e instanceof ProtocolError || e instanceof SdkError && e.code === SdkErrorCode.InvalidResult;
}

function isTimeout(e: unknown): boolean {
  return e instanceof SdkError && e.code === SdkErrorCode.RequestTimeout;
}

function describe(e: unknown, transport: Transport): string {
  const { hasEnded, account } = transport instanceof StdioTransport
    ? transport
    : { hasEnded: false, account: "" };
  if (e instanceof ProtocolError) return messageOf(e);
  if (hasEnded) return account;
  const said = account === "" ? "" : ` (${account})`;
  if (e === undefined) return `the connection was closed${said}`;
  if (isTimeout(e)) return `it does not answer${said}`;
  if (isAnswer(e)) return "its answer is not of the form that the protocol says";
  if (e instanceof SdkError && e.code === SdkErrorCode.ConnectionClosed) {
    return `the connection was closed${said}`;
  }
  return remoteFault(e) ?? withCause(e) + said;
}

/** "Fetch failed" says nothing: its cause does. */
function withCause(e: unknown): string {
  const cause = e instanceof Error ? e.cause : undefined;
  return cause instanceof Error ? `${messageOf(e)}: ${withCause(cause)}` : messageOf(e);
}

/** A transport may wait for its server without end before the handshake begins. */
async function inTime(connecting: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new SdkError(SdkErrorCode.RequestTimeout, "")), START_MS);
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  connecting.catch(() => {}); // it may fail when nobody waits for it any more
  try {
    await Promise.race([connecting, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

async function goodbye(transport: { terminateSession(): Promise<void> }): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => late.resolve(), GOODBYE_MS);
  await Promise.race([transport.terminateSession().catch(() => {}), late.promise]);
  clearTimeout(timer);
}
