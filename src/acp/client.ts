import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import type { Drawing } from "../presentation/presenter.ts";
import type { Elicits } from "./elicitation.ts";

/** What this agent uses of a client's capabilities, read once from `initialize`. */
export interface ClientFacts {
  readonly drawing: Drawing;
  /** Can it run this program in a terminal for the user to log in? */
  readonly terminalLogin: boolean;
  readonly elicits: Elicits;
  readonly files: FileMethods;
}

/** Which of the file methods a client has. */
export interface FileMethods {
  readonly read: boolean;
  readonly write: boolean;
}

/** A client that declared nothing. */
export const PLAIN_CLIENT: ClientFacts = {
  drawing: { terminal: undefined, notices: false, compaction: false },
  terminalLogin: false,
  elicits: { form: false, url: false },
  files: { read: false, write: false },
};

/** Reads the capabilities; what is not declared is not there. */
export function readClient(capabilities: ClientCapabilities | undefined): ClientFacts {
  const meta = capabilities?._meta ?? {};
  const terminal = meta.terminal_output === true
    ? "terminal_output"
    : meta.terminal_output_delta === true
    ? "terminal_output_delta"
    : undefined;
  const { notices, compaction } = capabilities?.session ?? {};
  const { readTextFile, writeTextFile } = capabilities?.fs ?? {};
  const { form, url } = capabilities?.elicitation ?? {}; // `{}` alone declares neither
  return {
    drawing: { terminal, notices: Boolean(notices), compaction: Boolean(compaction) },
    elicits: { form: Boolean(form), url: Boolean(url) },
    files: { read: readTextFile === true, write: writeTextFile === true },
    terminalLogin: capabilities?.auth?.terminal === true,
  };
}
