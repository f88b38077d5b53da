import { FetchError } from "./fetch_url.ts";
import type { Converted } from "./fetch_html_worker.ts";

/** A page's text and title. */
export interface Markdown {
  readonly title: string | undefined;
  readonly text: string;
}

/** Milliseconds; a large page takes some seconds on a slow machine. */
const TIME_LIMIT = 15_000;

/**
 * Makes Markdown of a page. In a thread of its own, which is ended at once when `signal` is aborted: a page can be
 * built so that reading it takes very long, and everything else of the agent would stand still meanwhile. A page that
 * cannot be read (nested too deep, say, or in the time there is) is given as its source.
 */
export async function markdownOf(html: string, base: URL, signal: AbortSignal): Promise<Markdown> {
  const worker = new Worker(new URL("./fetch_html_worker.ts", import.meta.url), { type: "module" });
  const { promise, resolve, reject } = Promise.withResolvers<Converted>();
  const stop = () => reject(signal.reason);
  const late = setTimeout(() => resolve({ title: undefined, text: undefined }), TIME_LIMIT);
  signal.addEventListener("abort", stop, { once: true });
  worker.onmessage = (event: MessageEvent<Converted>) => resolve(event.data);
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new FetchError(`The page could not be turned into Markdown: ${event.message}`));
  };
  try {
    signal.throwIfAborted();
    worker.postMessage({ html, base: base.href });
    const { title, text } = await promise;
    return {
      title,
      text: text ?? `[this page could not be turned into Markdown; its source follows]\n\n${html}`,
    };
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", stop);
    worker.terminate();
  }
}
