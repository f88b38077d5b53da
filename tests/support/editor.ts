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
