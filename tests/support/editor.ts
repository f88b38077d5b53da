import type { Answer } from "./agent.ts";
import type { Message, RpcError } from "./wire.ts";

/** Answers an editor's file methods from the disk, as an editor without unsaved buffers does. */
export async function editorFiles(request: Message): Promise<Answer> {
  const { path, content } = request.params as { path: string; content?: string };
  switch (request.method) {
    case "fs/read_text_file":
      return await Deno.readTextFile(path).then((text) => ({ result: { content: text } })).catch(failed);
    case "fs/write_text_file":
      return await Deno.writeTextFile(path, content ?? "").then(() => ({ result: {} })).catch(failed);
    default:
      return { error: { code: -32601, message: `Method not found: ${request.method}` } };
  }
}

function failed(error: Error): { error: RpcError } {
  return { error: { code: -32603, message: error.message } };
}

/** One request of the agent for a file. */
export interface FileRequest {
  readonly method: string;
  readonly path: string;
  readonly sessionId: string;
}

/**
 * An editor with buffers, as Zed keeps them: a buffer holds LF alone and no byte order mark, and a saved file keeps
 * its own. `answer` is for `AgentProcess.onRequest`.
 */
export class Editor {
  /** Unsaved and saved buffers, by path. */
  readonly buffers: Map<string, string> = new Map();
  readonly asked: FileRequest[] = [];
  /** Answers in place of the editor, where it gives anything. */
  instead: (request: Message) => Answer | undefined | Promise<Answer | undefined> = () => undefined;
  /** What saving does to a text. */
  onSave: (text: string) => string = (text) => text;

  readonly answer = async (request: Message): Promise<Answer> => {
    const { path, content, sessionId } = request.params as Record<"path" | "content" | "sessionId", string>;
    if (request.method?.startsWith("fs/")) this.asked.push({ method: request.method, path, sessionId });
    const instead = await this.instead(request);
    if (instead) return instead;
    if (request.method === "fs/read_text_file") return await this.#read(path).catch(failed);
    if (request.method === "fs/write_text_file") return await this.#write(path, content).catch(failed);
    return await editorFiles(request);
  };

  /** Forgets what was asked so far, and gives it as `method path`. */
  taken(): string[] {
    return this.asked.splice(0).map(({ method, path }) => `${method.replace("_text_file", "")} ${path}`);
  }

  async #read(path: string): Promise<Answer> {
    const content = this.buffers.get(path) ?? loaded(await Deno.readTextFile(path));
    return { result: { content } };
  }

  async #write(path: string, content: string): Promise<Answer> {
    const before = await Deno.readTextFile(path).catch(() => "");
    const text = this.onSave(loaded(content));
    this.buffers.set(path, text);
    const mark = before.startsWith("\uFEFF") ? "\uFEFF" : "";
    await Deno.writeTextFile(path, mark + (before.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text));
    return { result: {} };
  }
}

function loaded(text: string): string {
  return text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
}
