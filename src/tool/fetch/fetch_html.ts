import { Worker } from "node:worker_threads";
import { FetchError } from "./fetch_url.ts";
import type { Converted, Convertible } from "./fetch_html_worker.ts";

/** A page's text and title. */
export interface Markdown {
  readonly title: string | undefined;
  readonly text: string;
}

/** Milliseconds; a large page takes some seconds on a slow machine. */
const TIME_LIMIT = 15_000;
/** Mebibytes of the thread's own heap; a page of two takes less than a quarter of it. */
const HEAP_MB = 512;

/**
 * Makes Markdown of a page. In a thread of its own: a page can be built so that reading it takes very long or very
 * much memory, and everything else of the agent would stand still, or end, with it. A page that cannot be read
 * (nested too deep, say, or in the time and memory there is) is given as its source.
 *
 * The thread is told to stop, since no thread is ended in the middle of a loop by `terminate` alone.
 */
export async function markdownOf(html: string, base: URL, signal: AbortSignal): Promise<Markdown> {
  signal.throwIfAborted();
  const shared = new SharedArrayBuffer(4);
  const workerData: Convertible = { html, base: base.href, stop: shared };
  const worker = new Worker(entry(), { workerData, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
  const { promise, resolve, reject } = Promise.withResolvers<Converted>();
  const unread = () => resolve({ title: undefined, text: undefined });
  const stop = () => reject(signal.reason);
  const late = setTimeout(unread, TIME_LIMIT);
  signal.addEventListener("abort", stop, { once: true });
  worker.on("message", resolve);
  worker.on("error", (error) => {
    reject(new FetchError(`The page could not be turned into Markdown: ${error.message}`));
  });
  worker.on("exit", unread); // its memory was used up
  try {
    const { title, text } = await promise;
    return {
      title,
      text: text ?? `[this page could not be turned into Markdown; its source follows]\n\n${html}`,
    };
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", stop);
    Atomics.store(new Int32Array(shared), 0, 1);
    void worker.terminate();
  }
}

/** Threads with bounds start from a file or a text alone, and this module may be one of a registry. */
function entry(): URL {
  const url = new URL("./fetch_html_worker.ts", import.meta.url);
  if (url.protocol === "file:") return url;
  return new URL(`data:text/javascript,${encodeURIComponent(`await import(${JSON.stringify(url.href)});`)}`);
}
