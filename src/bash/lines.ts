import { concat } from "../sandbox/bytes.ts";

/** Cuts bytes into lines. A line longer than `limit` bytes throws: its sender is broken or hostile. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const rest = chunk.subarray(from, at);
      if (size + rest.length > limit) throw new RangeError(`a line of more than ${limit} bytes`);
      yield decoder.decode(size === 0 ? rest : concat([...parts, rest], size + rest.length));
      [parts, size, from] = [[], 0, at + 1];
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > limit) throw new RangeError(`a line of more than ${limit} bytes`);
  }
}

const NEWLINE = 10;
