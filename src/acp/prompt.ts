import { AgentError } from "../errors.ts";
import type { Eyes } from "../model/choices.ts";
import type { PromptPart } from "../session/event.ts";
import { boundContexts } from "../session/prompt/prompt_bounds.ts";
import { base64Bytes } from "../tool/base64.ts";
import { imageTypeOf, isBinary } from "../tool/file/file_kind.ts";

/** Bytes of an image: it is logged, and goes to the model with every request from then on. */
const IMAGE_BYTES = 5 * 1024 * 1024;
/** Bytes of all images of a prompt: what surely fits into one request. */
const IMAGES_BYTES = 16 * 1024 * 1024;
/** Characters of a URI, so that one with a file in it does not fill the log. */
const URI_CHARS = 8192;
/** Characters of a name or a type. */
const NAME_CHARS = 1024;

const TAKEN = "send text, resource_link, resource or image";

type Fields = Readonly<Record<string, unknown>>;

/**
 * A prompt's content as parts of the session's own kind, in its order and within bounds. `eyes` are those of the
 * model that is to read it; undefined where there is none yet, which that turn will say.
 * @throws AgentError("invalid-params") that names the block which cannot be taken: said, never dropped.
 */
export function promptParts(blocks: readonly unknown[], eyes: Eyes | undefined): PromptPart[] {
  const reader = new BlockReader(eyes);
  return boundContexts(blocks.map((block, i) => reader.read(block, i)));
}

/** A refusal without the block's place. */
class Refusal extends Error {}

/** Reads the blocks of one prompt. */
class BlockReader {
  readonly #eyes: Eyes | undefined;
  #imageBytes = 0;

  constructor(eyes: Eyes | undefined) {
    this.#eyes = eyes;
  }

  read(block: unknown, at: number): PromptPart {
    const fields = (typeof block === "object" && block !== null ? block : {}) as Fields;
    try {
      return this.#part(fields);
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      const type = typeof fields.type === "string" ? ` (${fields.type.slice(0, 50)})` : "";
      throw new AgentError("invalid-params", `prompt[${at}]${type}: ${e.message}`);
    }
  }

  #part(block: Fields): PromptPart {
    switch (block.type) {
      case "text":
        return { type: "text", text: text(block, "text") };
      case "resource_link": {
        const name = typeof block.title === "string" ? block.title : text(block, "name");
        return { type: "link", uri: uri(text(block, "uri")), name: name.slice(0, NAME_CHARS) };
      }
      case "resource":
        return this.#resource((block.resource ?? {}) as Fields);
      case "image":
        return this.#image(block);
      case "audio":
        throw new Refusal(`sound is not taken; ${TAKEN}.`);
      default:
        throw new Refusal(`there is no such content block; ${TAKEN}.`);
    }
  }

  #resource(resource: Fields): PromptPart {
    const from = uri(text(resource, "uri", "resource."));
    if (typeof resource.text === "string") return { type: "context", uri: from, text: resource.text };
    const bytes = fromBase64(text(resource, "blob", "resource."));
    const image = imageTypeOf(bytes);
    if (image && this.#eyes?.sees && this.#hasRoom(bytes)) return this.#picture(bytes, image, from);
    const content = textOf(bytes);
    if (content !== undefined) return { type: "context", uri: from, text: content };
    const mimeType = image ?? told(resource.mimeType)?.slice(0, NAME_CHARS);
    return { type: "binary", uri: from, mimeType, size: bytes.length };
  }

  #image(block: Fields): PromptPart {
    const data = text(block, "data");
    if (this.#eyes && !this.#eyes.sees) {
      throw new Refusal(
        `the model ${this.#eyes.model} takes no images. Choose one that does with the option "model" (or say ` +
          `"vision": true of this one in the config file), or leave the image out.`,
      );
    }
    if (data.length > IMAGE_BYTES * 1.4) throw tooLarge(base64Bytes(data)); // not even decoded
    const bytes = fromBase64(data);
    if (bytes.length > IMAGE_BYTES) throw tooLarge(bytes.length);
    if (!this.#hasRoom(bytes)) {
      throw new Refusal(`the images of one prompt may have ${IMAGES_BYTES} bytes together: send fewer.`);
    }
    const type = imageTypeOf(bytes);
    // A provider would refuse it, and with it every later request of the session.
    if (!type) throw new Refusal("the data is no PNG, JPEG, GIF or WebP image; send one of these.");
    const from = told(block.uri);
    return this.#picture(bytes, type, from === undefined ? undefined : uri(from));
  }

  #hasRoom({ length }: Uint8Array): boolean {
    return length <= IMAGE_BYTES && this.#imageBytes + length <= IMAGES_BYTES;
  }

  #picture(bytes: Uint8Array, mimeType: string, from: string | undefined): PromptPart {
    this.#imageBytes += bytes.length;
    return { type: "image", mimeType, data: bytes.toBase64(), ...(from === undefined ? {} : { uri: from }) };
  }
}

function tooLarge(size: number): Refusal {
  return new Refusal(`the image has ${size} bytes; at most ${IMAGE_BYTES} are taken: send a smaller copy.`);
}

function told(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function text(fields: Fields, key: string, where = ""): string {
  const value = fields[key];
  if (typeof value === "string") return value;
  throw new Refusal(`\`${where}${key}\` must be a text.`);
}

function uri(value: string): string {
  return value.length <= URI_CHARS ? value : `${value.slice(0, URI_CHARS - 1)}…`;
}

function fromBase64(data: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(data);
  } catch {
    throw new Refusal("the data is no Base64.");
  }
}

/** The text that the bytes are in UTF-8; undefined where they are none. */
function textOf(bytes: Uint8Array): string | undefined {
  if (isBinary(bytes)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
