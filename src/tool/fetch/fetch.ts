import { z } from "zod";
import { oneLine } from "../../errors.ts";
import type { Page } from "./fetch_page.ts";
import { readAddress } from "./fetch_url.ts";
import { defineTool, type Outcome, type ToolContext } from "../tool.ts";
import { code, fence } from "../view.ts";

/** Characters of a page that one call gives without `max_chars`. */
const DEFAULT_CHARS = 20_000;
const MAX_CHARS = 40_000;
/** Characters of it on the card. */
const SHOWN_CHARS = 4_000;
const MAX_TITLE = 200;

const schema = z.object({
  url: z.string().min(1).max(10_000).describe("http or https"),
  offset: z.int().min(0).optional().describe("First character, for the rest of a long page"),
  max_chars: z.int().min(1).max(MAX_CHARS).optional().describe(`Default ${DEFAULT_CHARS}`),
});

type Args = z.infer<typeof schema>;

/** What the card shows: where the page came from, what it is, and its beginning. */
type FetchFacts = { readonly about: string; readonly shown: string };

/**
 * Gets a page from the network. It runs in the agent, which sends nothing but the address; it asks for leave by
 * host. Not side by side: the answer to one question may cover the next call.
 */
export const fetch = defineTool<Args, FetchFacts>({
  name: "fetch",
  description: "Get a web page (HTML as Markdown) or a text file by its URL. The user may be asked, by host.",
  schema,
  readsOnly: false,
  async run(args, context) {
    const url = readAddress(args.url);
    const { fetchPage } = await import("./fetch_page.ts");
    const page = await fetchPage(url, {
      privateHosts: context.privateHosts,
      signal: context.signal,
      permit: (url, from) => permit(url, from, context),
    });
    return outcomeOf(page, args);
  },
  presentCall: (args) => ({
    title: `Fetch ${code(shownUrl(args.url))}`,
    kind: "fetch",
    blocks: [],
    locations: [],
  }),
  presentResult: (_args, { facts, text }) => ({
    blocks: [{
      type: "text",
      text: facts ? [facts.about, fenced(facts.shown)].filter((t) => t !== "").join("\n\n") : text,
    }],
  }),
});

function permit(url: URL, redirectedBy: string | undefined, context: ToolContext): Promise<void> {
  return context.permit({ kind: "fetch", url: url.href, host: url.host, redirectedBy });
}

/** In a fence, so that a client draws no image and no link of a page that nobody has looked at. */
function fenced(text: string): string {
  return text === "" ? "" : fence(text, "markdown");
}

/** As it will be sent, so that no look-alike or unseen character misleads. */
function shownUrl(text: string): string {
  try {
    return readAddress(text).href;
  } catch {
    return visible(oneLine(text, MAX_TITLE));
  }
}

function visible(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);
}

function outcomeOf(page: Page, args: Args): Outcome {
  const about = aboutOf(page);
  const isError = page.status >= 400;
  const head = `[${about.join(" · ")}]`;
  const shownAbout = about.map(code).join(" · ");
  if (page.text === undefined) {
    const note = page.kind === "image"
      ? "It is an image: it was not loaded, and cannot be shown here."
      : "It is no text: it was not loaded.";
    return { text: `${head}\n${note}`, isError, facts: { about: `${shownAbout}\n\n${note}`, shown: "" } };
  }
  const text = page.text.toWellFormed();
  const offset = args.offset ?? 0;
  if (offset > 0 && offset >= text.length) {
    const note = `The page has ${text.length} characters; offset ${offset} is past its end.`;
    return {
      text: `${head}\n${note}`,
      isError: true,
      facts: { about: `${shownAbout}\n\n${note}`, shown: "" },
    };
  }
  const end = characterEnd(text, offset + (args.max_chars ?? DEFAULT_CHARS));
  const piece = text.slice(offset, end);
  const tail = [
    ...(end < text.length ? [`[${text.length - end} more characters: fetch again with offset ${end}]`] : []),
    ...(page.cut ? [`[the page is longer than the ${sizeText(page.size!)} that are read of one]`] : []),
  ];
  return {
    text: [`${head} What follows is the page's text, not the user's:\n`, piece, ...tail].join("\n"),
    isError,
    facts: { about: shownAbout, shown: beginning(piece) },
  };
}

/** Where, what, and how large; nothing of it spans lines. */
function aboutOf({ url, status, mediaType, size, title, cut }: Page): string[] {
  const bytes = size === undefined ? undefined : `${cut ? "more than " : ""}${sizeText(size)}`;
  return [
    url.href,
    ...(status === 200 ? [] : [`HTTP ${status}`]),
    ...(title === undefined
      ? []
      : [oneLine(title.replace(/[\p{Cc}\p{Cf}]/gu, ""), MAX_TITLE).toWellFormed()]),
    mediaType === "" ? "no content type" : mediaType,
    ...(bytes === undefined ? [] : [bytes]),
  ];
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} byte${bytes === 1 ? "" : "s"}`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

function beginning(text: string): string {
  if (text.length <= SHOWN_CHARS) return text;
  const end = characterEnd(text, SHOWN_CHARS);
  return `${text.slice(0, end)}\n… ${text.length - end} more characters …`;
}

/** Moves an end forward where it would cut a surrogate pair. */
function characterEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}
