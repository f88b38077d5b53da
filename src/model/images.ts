import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { ModelImage, ModelMessage } from "./model.ts";

/** Pictures of tool results, as a user's message: providers take a result as text only. */
export interface ImageMessage {
  readonly role: "images";
  readonly content: (LanguageModelV4TextPart | LanguageModelV4FilePart)[];
}

/** Characters of Base64 in one request; DeepSeek takes a body of 48 MiB, others less. */
const MAX_SENT = 24 * 1024 * 1024;

type Result = Extract<ModelMessage, { role: "tool" }>;

/**
 * The messages as a model gets them. To one that sees, the images of a reply's results follow these in a message
 * of their own, the latest first to find room; to another, or where there is no room, the results say that the
 * images are not shown. Every call is still followed by its results before anything else. Pure.
 */
export function withImages(
  messages: readonly ModelMessage[],
  sees: boolean,
): (ModelMessage | ImageMessage)[] {
  const shown = sees ? withinRoom(messages) : new Set<ModelImage>();
  const told: (ModelMessage | ImageMessage)[] = [];
  let waiting: Result[] = [];
  const flush = () => {
    if (waiting.length > 0) told.push(imageMessage(waiting, shown));
    waiting = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") flush();
    if (message.role !== "tool" || !message.images?.length) told.push(message);
    else {
      const isShown = message.images.every((image) => shown.has(image));
      told.push(isShown ? message : { ...message, text: `${message.text}\n${sees ? NO_ROOM : BLIND}` });
      if (isShown) waiting.push(message);
    }
  }
  flush();
  return told;
}

const BLIND = "[The model in use takes no images: it cannot be shown.]";
const NO_ROOM = "[Left out to save room. Read it again to see it.]";

/** The latest images that fit into one request. */
function withinRoom(messages: readonly ModelMessage[]): Set<ModelImage> {
  const fitting = new Set<ModelImage>();
  let room = MAX_SENT;
  for (const message of messages.toReversed()) {
    if (message.role !== "tool") continue;
    for (const image of message.images ?? []) {
      room -= image.data.length;
      if (room >= 0) fitting.add(image);
    }
  }
  return fitting;
}

function imageMessage(results: readonly Result[], shown: ReadonlySet<ModelImage>): ImageMessage {
  return {
    role: "images",
    content: results.flatMap(({ text, images = [] }) => [
      {
        type: "text" as const,
        text: `[Image of the tool result "${text.split("\n", 1)[0]?.slice(0, 300)}"]`,
      },
      ...images.filter((image) => shown.has(image)).map(({ mimeType, data }) => ({
        type: "file" as const,
        mediaType: mimeType,
        data: { type: "data" as const, data },
      })),
    ]),
  };
}
