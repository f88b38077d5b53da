/** The two file methods that a client may have. */
export type EditorMethod = "read" | "write";

/** Why an editor's file method did not do its work. */
export class EditorFault extends Error {
  override readonly name = "EditorFault";
  /** True: it is no use to ask this client again. */
  readonly lasting: boolean;
  constructor(message: string, lasting: boolean) {
    super(message);
    this.lasting = lasting;
  }
}

/**
 * What is known of one client's file methods, and whether they may be used now; shared by the sessions of a
 * connection.
 *
 * An editor runs unconfined and follows symlinks. A command that still runs could swap a directory for a link
 * between the look at a path and the editor's use of it, so that the two exclude each other: while a command
 * runs the editor is not asked, and a command begins when the editor has answered.
 */
export class EditorTrust {
  readonly #broken = new Set<EditorMethod>();
  readonly #uses = new Set<Promise<unknown>>();
  /** Of files whose buffer and disk were last seen to be the same: what they held, as a hash. */
  readonly #settled = new Map<string, string>();
  #commands = 0;

  trusts(method: EditorMethod): boolean {
    return !this.#broken.has(method);
  }

  /** A client whose reads are wrong is not written through either: nothing would be known of its buffers. */
  lose(method: EditorMethod): void {
    this.#broken.add(method);
    this.#broken.add("write");
  }

  /** Runs a command when the editor is not in use. */
  async command<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#commands++;
    try {
      if (this.#uses.size > 0) await Promise.race([Promise.allSettled(this.#uses), aborted(signal)]);
      return await work();
    } finally {
      this.#commands--;
    }
  }

  /** Does work with the editor; undefined, and nothing done, while a command runs. */
  async use<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#commands > 0) return undefined;
    const done = work();
    this.#uses.add(done);
    try {
      return await done;
    } finally {
      this.#uses.delete(done);
    }
  }

  /** Buffer and disk hold the same at `path`. */
  settle(path: string, hash: string): void {
    this.#settled.delete(path);
    this.#settled.set(path, hash);
    if (this.#settled.size > MAX_SETTLED) this.#settled.delete(this.#settled.keys().next().value!);
  }

  /** Is this what buffer and disk last held together? Then a disk that holds something else is ahead. */
  isSettled(path: string, hash: string): boolean {
    return this.#settled.get(path) === hash;
  }
}

/** Files that are remembered. */
const MAX_SETTLED = 1000;

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
