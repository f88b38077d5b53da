import { messageOf, redact } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Model } from "../../model/model.ts";
import type { EventLog } from "../event_log.ts";
import type { OpenModel } from "../ports.ts";
import { cleanTitle, titleRequest } from "./title_text.ts";

/** What a titler needs. */
export interface TitlerDeps {
  readonly log: Log;
  readonly events: EventLog;
  readonly openModel: OpenModel;
  /** Values that no title may hold, as they are now: a key may be typed in later. */
  readonly secrets: () => readonly string[];
}

/** Pauses of a session in which a title is tried: what was taken back or failed so often is not worth more. */
const TRIES = 3;

/** Characters of thinking and text after which a reply is given up: no title takes so many. */
const ENOUGH_CHARS = 20_000;

/** Milliseconds that a model may take. */
const PATIENCE = 60_000;

/**
 * Has the model write the session's title in a pause between two turns. It is a spare call: nobody waits for
 * it, it is no part of a turn and of its usage, and where it fails the first words stay the title.
 */
export class Titler {
  readonly #deps: TitlerDeps;
  #tries = 0;
  #running: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;

  constructor(deps: TitlerDeps) {
    this.#deps = deps;
  }

  /** Begins, where there is something to do, and returns at once. `model`: see {@linkcode OpenModel}. Never throws. */
  start(model: string | undefined): void {
    if (this.#running || this.#tries >= TRIES || !this.#deps.events.topic) return;
    this.#tries++;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(PATIENCE)]);
    const done = this.#run(model, signal).catch((e) => {
      this.#deps.log.debug("no title", { cause: messageOf(e) });
    });
    const running = this.#running = { stop, done };
    done.then(() => {
      if (this.#running === running) this.#running = undefined;
    });
  }

  /** Gives up what runs, whose title is not logged any more; resolves when it has ended. Never rejects. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.stop.abort();
    await running?.done;
  }

  async #run(name: string | undefined, signal: AbortSignal): Promise<void> {
    const { events, openModel, secrets } = this.#deps;
    const model = await openModel(name);
    const topic = events.topic;
    if (!topic || model.ref.provider === "demo") return; // a script has no words for it
    const title = cleanTitle(redact(await write(model, titleRequest(topic, model), signal), secrets()));
    signal.throwIfAborted();
    if (title === undefined) throw new Error("The model wrote nothing that could be a title.");
    events.append({ type: "title.set", title });
  }
}

/** Leaving the stream early closes its connection. */
async function write(
  model: Model,
  request: Parameters<Model["stream"]>[0],
  signal: AbortSignal,
): Promise<string> {
  let [text, chars] = ["", 0];
  for await (const part of model.stream(request, signal)) {
    switch (part.type) {
      case "text":
        text += part.text;
        chars += part.text.length;
        break;
      case "reasoning":
        chars += part.text.length;
        break;
      case "retry":
        throw new Error(part.reason); // a server in trouble is not asked for spare things
      case "finish":
        if (part.reason !== "stop") throw new Error(`The reply ended with "${part.reason}".`);
        return text;
      case "call-start":
      case "call-args":
      case "call":
        break;
    }
    if (chars > ENOUGH_CHARS) throw new Error("The reply is too long.");
  }
  throw new Error("The reply ended without a finish.");
}
