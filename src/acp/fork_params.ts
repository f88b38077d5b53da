import { AgentError } from "../errors.ts";

/** What `session/fork` is asked with. The SDK's stable entry does not know this method. */
export interface ForkParams {
  readonly sessionId: string;
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  /** Read where those of the other methods are. */
  readonly mcpServers: unknown;
}

/**
 * Reads the parameters of `session/fork` by hand: the SDK's unstable entry would parse them too, at the cost of
 * some 20 ms of every start.
 * @throws AgentError("invalid-params") that names what is wrong.
 */
export function forkParams(params: unknown): ForkParams {
  const { sessionId, cwd, additionalDirectories = null, mcpServers } = (params ?? {}) as Fields;
  if (typeof sessionId !== "string") throw invalid("sessionId", "a text");
  if (typeof cwd !== "string") throw invalid("cwd", "a text");
  if (additionalDirectories !== null && !isListOf(additionalDirectories, isText)) {
    throw invalid("additionalDirectories", "a list of texts");
  }
  return {
    sessionId,
    cwd,
    additionalDirectories: additionalDirectories ?? undefined,
    mcpServers,
  };
}

type Fields = Readonly<Record<string, unknown>>;

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(is);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function invalid(name: string, what: string): AgentError {
  return new AgentError("invalid-params", `\`${name}\` must be ${what}.`);
}
