import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { HiddenImages } from "./image_refusal.ts";
import type { ModelImage, ModelMessage } from "./model.ts";

type Content = LanguageModelV4TextPart | LanguageModelV4FilePart;

/**
 * A user's message with pictures in it. Those of tool results come as one too: providers take a result as text
 * only.
 */
export interface ImageMessage {
  readonly role: "images";
  readonly content: Content[];
}

/** Characters of Base64 in one request; DeepSeek takes a body of 48 MiB, others less. */
const MAX_SENT = 24 * 1024 * 1024;

type Result = Extract<ModelMessage, { role: "tool" }>;
type UserMessage = Extract<ModelMessage, { role: "user" }>;

/** Why an image is not shown. */
type Reason = "blind" | "refused" | "no room";

const NOTHING_HIDDEN: HiddenImages = new Set<ModelImage>();

/**
 * The messages as a model gets them. To one that sees, a prompt's images go where they stood in it, and those of a
 * reply's results follow these in a message of their own, the latest first to find room; to another, or where there
 * is no room, it is said that the images are not shown; so it is of those that are `hidden`, since the provider
 * refused them. Every call is still followed by its results before anything else. Pure.
 */
export function withImages(
  messages: readonly ModelMessage[],
  sees: boolean,
  hidden: HiddenImages = NOTHING_HIDDEN,
): (ModelMessage | ImageMessage)[] {
  const shown = imagesSent(messages, sees, hidden);
  const reasonOf = (image: ModelImage) => !sees ? "blind" : hidden.has(image) ? "refused" : "no room";
  const told: (ModelMessage | ImageMessage)[] = [];
  let waiting: Result[] = [];
  const flush = () => {
    if (waiting.length > 0) told.push(imageMessage(waiting, shown));
    waiting = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") flush();
    if (message.role === "assistant" || !message.images?.length) told.push(message);
    else if (message.role === "user") told.push(userMessage(message, shown, reasonOf));
    else {
      const left = message.images.filter((image) => !shown.has(image));
      const isBlank = left.length === message.images.length;
      const note = isBlank
        ? notShown("tool", reasonOf(left[0]!))
        : `[${left.length} of ${message.images.length} images are not shown.]`;
      told.push(left.length === 0 ? message : { ...message, text: `${message.text}\n${note}` });
      if (!isBlank) waiting.push(message);
    }
  }
  flush();
  return told;
}

function notShown(role: "tool" | "user", reason: Reason): string {
  if (reason === "blind") return "[The model in use takes no images: it cannot be shown.]";
  if (reason === "refused") return "[The provider refused it: it cannot be shown.]";
  return role === "tool"
    ? "[Left out to save room. Read it again to see it.]"
    : "[Left out to save room. Ask for it to be sent again if you need it.]";
}

/** The images that go along: of those that are not hidden the latest that fit into one request. Pure. */
export function imagesSent(
  messages: readonly ModelMessage[],
  sees: boolean,
  hidden: HiddenImages,
): Set<ModelImage> {
  const fitting = new Set<ModelImage>();
  if (!sees) return fitting;
  let room = MAX_SENT;
  for (const message of messages.toReversed()) {
    if (message.role === "assistant") continue;
    for (const image of message.images ?? []) {
      if (hidden.has(image)) continue;
      room -= image.data.length;
      if (room >= 0) fitting.add(image);
    }
  }
  return fitting;
}

/** The message with its images in their places, or with words there. */
function userMessage(
  { text, images = [] }: UserMessage,
  shown: ReadonlySet<ModelImage>,
  reasonOf: (image: ModelImage) => Reason,
): UserMessage | ImageMessage {
  const content: Content[] = [];
  let [words, from] = ["", 0];
  const flush = () => {
    if (words.trim() !== "") content.push({ type: "text", text: words }); // some providers refuse an empty text
    words = "";
  };
  for (const image of images) {
    words += text.slice(from, image.at);
    from = image.at;
    if (shown.has(image)) {
      flush();
      content.push(filePart(image));
    } else words += ` ${notShown("user", reasonOf(image))}`;
  }
  words += text.slice(from);
  if (content.length === 0) return { role: "user", text: words };
  flush();
  return { role: "images", content };
}

function imageMessage(results: readonly Result[], shown: ReadonlySet<ModelImage>): ImageMessage {
  return {
    role: "images",
    content: results.flatMap(({ text, images = [] }) => [
      {
        type: "text" as const,
        text: `[Image of the tool result "${text.split("\n", 1)[0]?.slice(0, 300)}"]`,
      },
      ...images.filter((image) => shown.has(image)).map(filePart),
    ]),
  };
}

function filePart({ mimeType, data }: ModelImage): LanguageModelV4FilePart {
  return { type: "file", mediaType: mimeType, data: { type: "data", data } };
}
