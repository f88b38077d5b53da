/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { htmlToMarkdown } from "./html_to_markdown.ts";

/** What the worker answers; without `text` the page could not be read. */
export interface Converted {
  readonly title: string | undefined;
  readonly text: string | undefined;
}

self.onmessage = (event: MessageEvent<{ html: string; base: string }>) => {
  const { html, base } = event.data;
  self.postMessage(converted(html, base));
};

function converted(html: string, base: string): Converted {
  try {
    return htmlToMarkdown(html, base);
  } catch {
    return { title: undefined, text: undefined };
  }
}
