import type { Program } from "./mcp.ts";
import { script, type Step } from "./model_script.ts";
import type { ServedPage } from "./page_server.ts";
import type { Prompt } from "./session.ts";
import type { Fields } from "./wire.ts";

/**
 * What the user answers to one question: the kind of a permission option, an option by its label, or an
 * elicitation's result.
 */
export type Reply =
  | "allow_once"
  | "allow_always"
  | "reject_once"
  | "cancelled"
  | { readonly choose: string }
  | Fields;

/** A moment that a client can see: a call (1-based) gets a status, or a text is shown. */
export type Moment = { readonly call: number; readonly status: string } | { readonly text: string };

/** A server that lies with the tests (see `mcp.ts`), or any other command. */
export type SceneServer =
  | { readonly name: string; readonly program: Program; readonly args?: string[] }
  | { readonly name: string; readonly command: string };

/** A scene of fixtures/<name>/scene.json: what is there, what the model does, what the user does. */
export interface Scene {
  /** Files of the workspace: relative path → text. */
  readonly files?: Readonly<Record<string, string>>;
  /** Commands that prepare the workspace: what no text file can be (a FIFO, bytes, rights). */
  readonly prepare?: string;
  /** Pages of a web server: path → page. `$PAGES` in steps stands for its origin. */
  readonly pages?: Readonly<Record<string, ServedPage>>;
  /** Long texts: each `$NAME` in files, pages and steps stands for a text that is repeated so many times. */
  readonly texts?: Readonly<Record<string, readonly [text: string, times: number]>>;
  readonly preset?: string;
  /** Chosen before the first prompt, `provider/model`. */
  readonly model?: string;
  /** MCP servers that the client asks for. */
  readonly servers?: readonly SceneServer[];
  /** A command's name: the scene begins when it is offered. */
  readonly awaits?: string;
  /** The transcript tells all commands that are offered then. */
  readonly offers?: true;
  /** Blocks of the prompt before the script. `$WORKSPACE` stands for the session's folder. */
  readonly prompt?: readonly Fields[];
  /** What the model does; none: the prompt has no script. A `task` of `[text, steps]` is one for a child. */
  readonly steps?: readonly Step[];
  /** What the model does at a second prompt. */
  readonly then?: readonly Step[];
  /** What the user says after that, prompt by prompt, without a script: a text, or blocks. */
  readonly further?: readonly Prompt[];
  /** To the questions in their order; what is asked beyond them is rejected. */
  readonly answers?: readonly Reply[];
  /** Gates of the steps, each with when it is opened. */
  readonly gates?: Readonly<Record<string, Moment>>;
  /** The user cancels at this moment, or in place of an answer. */
  readonly cancel?: Moment | "asked";
}

/** The scene with its long texts, addresses, folders and children's scripts written out. */
export function expanded(scene: Scene, origin: string, workspace = ""): Scene {
  const texts: [name: string, text: string][] = Object.entries(scene.texts ?? {}).map((
    [name, [piece, times]],
  ) => [name, piece.repeat(times)]);
  texts.push(["$PAGES", origin], ["$WORKSPACE", workspace]);
  const expand = (value: unknown): unknown => {
    if (typeof value === "string") return texts.reduce((text, [name, t]) => text.replaceAll(name, t), value);
    if (Array.isArray(value)) return value.map(expand);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map((
        [k, v],
      ) => [k, k === "task" && Array.isArray(v) ? task(v, expand) : expand(v)]),
    );
  };
  const { texts: _, ...rest } = scene;
  return expand(rest) as Scene;
}

function task([text, steps]: unknown[], expand: (value: unknown) => unknown): string {
  return `${expand(text)}\n${script(...expand(steps) as Step[])}`;
}
