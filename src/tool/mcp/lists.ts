import type { Client, Prompt, Tool } from "@modelcontextprotocol/client";

/** Milliseconds in which lists have to be there. */
export const LIST_MS = 30_000;
/** Milliseconds before lists that have changed are read anew, first and again: such words come in swarms. */
const [FIRST_MS, AGAIN_MS] = [50, 1_000];

/** What a server offers, as it said last. */
export interface Offered {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly hasResources: boolean;
}

/** What a server offers that has not been asked. */
export const NOTHING: Offered = { tools: [], prompts: [], hasResources: false };

/** Asks a server for its lists. */
export async function offeredBy(client: Client, signal?: AbortSignal): Promise<Offered> {
  const options = { timeout: LIST_MS, ...(signal ? { signal } : {}) };
  const has = client.getServerCapabilities() ?? {};
  const [tools, prompts] = await Promise.all([
    has.tools ? client.listTools(undefined, options) : undefined,
    // A server whose prompts cannot be listed is still of use.
    has.prompts ? client.listPrompts(undefined, options).catch(() => undefined) : undefined,
  ]);
  return {
    tools: tools?.tools ?? [],
    prompts: prompts?.prompts ?? [],
    hasResources: has.resources !== undefined,
  };
}

/** Reads lists anew when a server says that they have changed; many such words are one. */
export class ListRefresher {
  readonly #read: () => Promise<void>;
  #isStale = false;
  #reading: Promise<void> | undefined;

  /** `read` does not reject. */
  constructor(read: () => Promise<void>) {
    this.#read = read;
  }

  /** A list is another one. */
  changed(): void {
    this.#isStale = true;
    this.#reading ??= this.#run().finally(() => this.#reading = undefined);
  }

  /** Resolves when all is read that was said to have changed. */
  async settled(): Promise<void> {
    await this.#reading;
  }

  async #run(): Promise<void> {
    for (let ms = FIRST_MS; this.#isStale; ms = AGAIN_MS) {
      await new Promise((resolve) => Deno.unrefTimer(setTimeout(resolve, ms)));
      this.#isStale = false;
      await this.#read();
    }
  }
}
