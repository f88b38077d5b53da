import { agent as createAgent, type AgentContext, type Stream } from "@agentclientprotocol/sdk";
import type { Keyring } from "../config/keyring.ts";
import type { Log } from "../log.ts";
import { Arrivals } from "./arrivals.ts";
import { logout } from "./authentication.ts";
import { answerLast } from "./last_answers.ts";
import { type ClientFacts, PLAIN_CLIENT, readClient } from "./client.ts";
import { toRequestError } from "./errors.ts";
import { initializeResponse } from "./initialize.ts";
import type { SessionMethods } from "./session_methods.ts";

/** What a connection is served with. */
export interface ConnectionDeps {
  readonly keyring: Keyring;
  readonly log: Log;
  /** Aborting it closes the connection. */
  readonly signal?: AbortSignal | undefined;
  /** Called once, after the first `initialize` was answered. */
  readonly initialized?: (() => void) | undefined;
}

/** Serves one client until its stream ends, then closes every session. Never rejects. */
export async function serveConnection(stream: Stream, deps: ConnectionDeps): Promise<void> {
  const { keyring, log, signal, initialized } = deps;
  const arrivals = new Arrivals((sessionId) =>
    sessionMethods.ifLoaded((house) => house.cancelled(sessionId))
  );
  let client: ClientFacts = PLAIN_CLIENT;
  const sessionMethods = lazySessionMethods((peer) => ({ keyring, log, peer, client: () => client }));
  let opened = false;
  const open = async (peer: AgentContext) => {
    await sessionMethods.get(peer);
    if (!opened) initialized?.();
    opened = true;
  };
  const answer = answerer(() => keyring.secrets);
  /** A handler that is called when it is the request's turn in its session, with the house and its cancel. */
  const inTurn = <Call extends Arrived, Result>(
    handle: (call: Call, house: SessionMethods, cancelled: AbortSignal) => Result | Promise<Result>,
  ) =>
    answer(async (call: Call): Promise<Result> => {
      const cancelled = AbortSignal.any([call.signal, arrivals.signalOf(call.requestId)]);
      await arrivals.turnOf(call.requestId, cancelled);
      return await handle(call, await sessionMethods.get(call.client), cancelled);
    });

  // `session/cancel` is not in the table: `Arrivals` carries it out, in the order it came.
  const connection = createAgent({ name: keyring.config.agentName })
    .onRequest(
      "initialize",
      answer(({ params, client: peer }) => {
        client = readClient(params.clientCapabilities);
        setTimeout(() => void open(peer)); // the answer goes out first, then the house is opened
        return initializeResponse(keyring.config, client);
      }),
    )
    .onRequest(
      "authenticate",
      answer(async ({ params, client: peer }) => (await sessionMethods.get(peer)).authenticate(params)),
    )
    .onRequest("logout", answer(() => logout(keyring)))
    .onRequest("session/new", inTurn((call, house) => house.lifecycle.newSession(call.params)))
    .onRequest("session/load", inTurn((call, house) => house.lifecycle.loadSession(call.params)))
    .onRequest("session/resume", inTurn((call, house) => house.lifecycle.resumeSession(call.params)))
    .onRequest("session/fork", asSent, inTurn((call, house) => house.lifecycle.forkSession(call.params)))
    .onRequest("session/set_config_option", inTurn((call, house) => house.setConfigOption(call.params)))
    .onRequest("session/set_mode", inTurn((call, house) => house.setMode(call.params)))
    .onRequest(
      "session/prompt",
      asSent,
      inTurn((call, house, cancelled) => house.prompt(call.params, cancelled)),
    )
    .onRequest("_session/steering", asSent, inTurn((call, house) => house.steer(call.params)))
    .onRequest("session/close", inTurn((call, house) => house.lifecycle.closeSession(call.params)))
    .onRequest("session/delete", inTurn((call, house) => house.lifecycle.deleteSession(call.params)))
    .onRequest("session/list", inTurn((call, house) => house.lifecycle.listSessions(call.params)))
    .connect(arrivals.observe(answerLast(stream)));

  log.info("connected");
  const close = () => connection.close();
  if (signal?.aborted) close();
  signal?.addEventListener("abort", close, { once: true });
  await connection.closed.catch(() => {});
  signal?.removeEventListener("abort", close);
  log.info("disconnected");
  await sessionMethods.close();
}

/** What every request comes with. */
interface Arrived {
  readonly client: AgentContext;
  readonly requestId: unknown;
  readonly signal: AbortSignal;
}

/** For parameters that are read where they are used. */
function asSent(params: unknown): unknown {
  return params;
}

/** The session methods, loaded once, when first wanted. */
function lazySessionMethods(
  depsFor: (peer: AgentContext) => ConstructorParameters<typeof SessionMethods>[0],
) {
  let loading: Promise<SessionMethods> | undefined;
  return {
    get: (peer: AgentContext): Promise<SessionMethods> =>
      loading ??= import("./session_methods.ts").then((module) => new module.SessionMethods(depsFor(peer))),
    ifLoaded: (use: (house: SessionMethods) => void): void => void loading?.then(use),
    close: async (): Promise<void> => {
      await (await loading)?.close();
    },
  };
}

/** Turns whatever a handler throws into a JSON-RPC error that is fit to be shown. */
function answerer(secrets: () => readonly string[]) {
  return <Call, Result>(handler: (call: Call) => Result | Promise<Result>) =>
  async (call: Call): Promise<Result> => {
    try {
      return await handler(call);
    } catch (e) {
      throw toRequestError(e, secrets());
    }
  };
}
