import { base64Bytes } from "../base64.ts";
import { imageTypeOf, MAX_IMAGE_BYTES } from "../file/file_kind.ts";
import type { Image } from "../tool.ts";

/** Images of one result that are shown. */
const MAX_IMAGES = 8;
/** Bytes of all of them: what surely fits into one request. */
const MAX_ALL_BYTES = 16 * 1024 * 1024;

/** An image that was taken, by its place among those of the result (1-based), or why it cannot be shown. */
export type Taken =
  | { readonly number: number; readonly mimeType: string; readonly size: number }
  | { readonly fault: string };

/** Gathers the images of one result. What they are is told by their bytes, whatever the server says of them. */
export class Pictures {
  readonly #images: Image[] = [];
  #bytes = 0;

  /** Takes an image in Base64, if it is one that can be shown. */
  take(base64: string): Taken {
    if (base64Bytes(base64) > MAX_IMAGE_BYTES * 1.1) return TOO_LARGE; // not even decoded; line breaks count
    const bytes = decoded(base64);
    if (!bytes) return { fault: "its Base64 is broken" };
    const mimeType = imageTypeOf(bytes);
    if (!mimeType) return { fault: "it is no PNG, JPEG, GIF or WebP" };
    if (bytes.length > MAX_IMAGE_BYTES) return TOO_LARGE;
    if (this.#images.length === MAX_IMAGES || this.#bytes + bytes.length > MAX_ALL_BYTES) {
      return { fault: `at most ${MAX_IMAGES} images of ${MAX_ALL_BYTES} bytes together are shown` };
    }
    this.#bytes += bytes.length;
    const number = this.#images.push({ mimeType, data: bytes.toBase64() });
    return { number, mimeType, size: bytes.length };
  }

  /** What was taken; undefined where nothing was. */
  get images(): readonly Image[] | undefined {
    return this.#images.length > 0 ? this.#images : undefined;
  }
}

const TOO_LARGE: Taken = { fault: `it has more than ${MAX_IMAGE_BYTES} bytes` };

function decoded(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return undefined;
  }
}
