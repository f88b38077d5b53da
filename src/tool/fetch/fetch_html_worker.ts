import { parentPort, workerData } from "node:worker_threads";
import { htmlToMarkdown } from "./html_to_markdown.ts";

/** What the worker is started with. */
export interface Convertible {
  readonly html: string;
  readonly base: string;
  /** One number, shared: anything but 0 means that nobody waits any more. */
  readonly stop: SharedArrayBuffer;
}

/** What the worker answers; without `text` the page could not be read. */
export interface Converted {
  readonly title: string | undefined;
  readonly text: string | undefined;
}

const { html, base, stop } = workerData as Convertible;
const flag = new Int32Array(stop);
parentPort?.postMessage(converted());

function converted(): Converted {
  try {
    return htmlToMarkdown(html, base, () => Atomics.load(flag, 0) !== 0);
  } catch {
    return { title: undefined, text: undefined };
  }
}
