import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { FetchError } from "./fetch_url.ts";

/** What was read of an answer's body, decompressed. */
export interface Body {
  readonly bytes: Uint8Array;
  /** True: there was more, which was not read. */
  readonly cut: boolean;
}

/** Reads a body up to `max` bytes as they are after decompression; then the connection is closed. */
export async function readBody(message: IncomingMessage, max: number): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of plain(message) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > max) break;
  }
  message.destroy();
  return { bytes: joined(chunks, Math.min(size, max)), cut: size > max };
}

/** Only gzip is asked for. Its stream gives small pieces: a bomb is met after `max` bytes of what it becomes. */
function plain(message: IncomingMessage): Readable {
  const encoding = (message.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return message;
  if (encoding !== "gzip" && encoding !== "x-gzip") {
    message.destroy();
    throw new FetchError(
      `The answer is compressed in a way that was not asked for: ${encoding.slice(0, 40)}.`,
    );
  }
  // Errors come out of the stream that is read.
  return pipeline(message, createGunzip(), () => {});
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk.subarray(0, size - at), at);
    at += Math.min(chunk.length, size - at);
  }
  return all;
}

/** What the bytes of an answer are, by its content type and, where that tells nothing, by themselves. */
export type Kind = "html" | "text" | "image" | "binary";

const TEXT = /^text\/|[+/](x-)?(json|xml|yaml|toml|javascript|ecmascript|typescript|ndjson|sh|sql|graphql)$/;
const BINARY =
  /^(audio|video|font|model)\/|^application\/(pdf|zip|gzip|wasm|java-archive|x-(tar|gzip|bzip2|xz|7z-.*)|vnd\.(ms-|openxml|oasis).*)$/;

/** The kind that a media type names; undefined where it does not tell. */
export function kindOf(mediaType: string): Kind | undefined {
  if (/^(text\/html|application\/xhtml\+xml)$/.test(mediaType)) return "html";
  if (TEXT.test(mediaType)) return "text";
  if (mediaType.startsWith("image/")) return "image";
  return BINARY.test(mediaType) ? "binary" : undefined;
}

/** The kind of bytes that nobody named. */
export function sniff(bytes: Uint8Array): Kind {
  const start = bytes.subarray(0, 1024);
  const marked = (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
  if (start.includes(0) && !marked) return "binary";
  return /^\s*<(!doctype html|html)/i.test(new TextDecoder().decode(start)) ? "html" : "text";
}

/** Decodes text: by its byte order mark, the header's charset, what an HTML or XML head says, else as UTF-8. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  const label = byteOrder(bytes) ?? charsetIn(contentType) ??
    /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/.exec(head)?.[1];
  return decoderOf(label).decode(bytes);
}

function byteOrder(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  return a === 0xfe && b === 0xff ? "utf-16be" : undefined;
}

function charsetIn(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1];
}

/** A page may name any charset; one that is not known is read as most pages are. */
function decoderOf(label: string | undefined): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
