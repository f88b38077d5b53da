import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";

/** Milliseconds after the end of the input in which what was asked before it is still answered. */
const GRACE = 1000;

/**
 * The stream, whose end waits a moment for the answers to what was read before it: a client may well close its
 * side behind its last request. Prompts are not waited for: whoever closes has no more use for a turn.
 */
export function answerLast(stream: Stream): Stream {
  const open = new Set<unknown>();
  let answered = () => {};
  const input = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      if ("method" in message && "id" in message && message.method !== "session/prompt") open.add(message.id);
      controller.enqueue(message);
    },
    flush: async () => {
      if (open.size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      answered = resolve;
      const timer = setTimeout(resolve, GRACE);
      await promise;
      clearTimeout(timer);
    },
  });
  const writer = stream.writable.getWriter();
  const output = new WritableStream<AnyMessage>({
    write: async (message) => {
      try {
        await writer.write(message);
      } finally {
        if (!("method" in message) && open.delete(message.id) && open.size === 0) answered();
      }
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
  return { readable: stream.readable.pipeThrough(input), writable: output };
}
