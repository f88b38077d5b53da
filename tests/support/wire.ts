/** Any object of JSON. */
export type Fields = Record<string, unknown>;

/** What JSON-RPC lets be an id; the agent has to echo it exactly. */
export type RpcId = string | number | null;

/** The `error` member of a JSON-RPC response. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** One JSON-RPC message, of either direction. */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: RpcId;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields | null;
  readonly error?: RpcError;
}

/** One line that the agent wrote, with the place where it stood among all lines. */
export interface Frame {
  readonly index: number;
  readonly bytes: number;
  readonly message: Message;
}

/** A block of content, as far as tests look into it. */
export interface Block {
  readonly type: string;
  readonly text?: string;
}

/** One entry of a tool call's `content`. */
export interface ToolContent {
  readonly type: string;
  readonly content?: Block;
  readonly terminalId?: string;
  readonly path?: string;
  readonly oldText?: string | null;
  readonly newText?: string;
}

/** Zed's terminal keys under `_meta`. */
export interface TerminalMeta {
  readonly terminal_info?: { readonly terminal_id: string; readonly cwd?: string };
  readonly terminal_output?: { readonly terminal_id: string; readonly data: string };
  readonly terminal_output_delta?: { readonly terminal_id: string; readonly data: string };
  readonly terminal_exit?: {
    readonly terminal_id: string;
    readonly exit_code?: number | null;
    readonly signal?: string | null;
  };
}

/**
 * The `update` of a `session/update`, read loosely: the schema check has already proved its shape, so tests
 * may look at the members of every variant without narrowing first.
 */
export interface Update {
  readonly sessionUpdate: string;
  readonly messageId?: string;
  readonly content?: Block | readonly ToolContent[] | null;
  readonly toolCallId?: string;
  readonly title?: string | null;
  readonly kind?: string | null;
  readonly status?: string | null;
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly locations?: readonly { readonly path: string; readonly line?: number | null }[] | null;
  readonly entries?: readonly Fields[];
  /** Of a `usage_update`. */
  readonly used?: number;
  readonly size?: number;
  readonly cost?: { readonly amount: number; readonly currency: string } | null;
  readonly _meta?: TerminalMeta & Fields | null;
}

/** True for an object that is neither null nor an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for the answer to a request, of either kind. */
export function isResponse(message: Message): boolean {
  return message.method === undefined && message.id !== undefined;
}

/** The update that a `session/update` carries for `sessionId` (or for any session), else undefined. */
export function updateIn(message: Message, sessionId?: string): Update | undefined {
  if (message.method !== "session/update") return undefined;
  if (sessionId !== undefined && message.params?.sessionId !== sessionId) return undefined;
  return message.params?.update as Update | undefined;
}
