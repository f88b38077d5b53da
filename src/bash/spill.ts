import { concat } from "../sandbox/bytes.ts";

/** Bytes of output that the model sees whole: only beyond them a file is made. */
const IN_MEMORY_LIMIT = 64 * 1024;
/** Bytes of output that the file holds at most. */
export const SPILL_LIMIT = 64 * 1024 * 1024;

/** The whole output of a command in a file, which is made only once the output is long. */
export class Spill {
  readonly #path: string;
  #held: Uint8Array[] = [];
  #size = 0;
  #state: "memory" | "file" | "failed" = "memory";
  #file: Deno.FsFile | undefined;

  /** Nothing may stand at `path` yet. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Never rejects: a full disk costs the file, not the command. */
  async push(bytes: Uint8Array): Promise<void> {
    if (this.#state === "failed" || this.#size >= SPILL_LIMIT) return;
    const kept = bytes.subarray(0, SPILL_LIMIT - this.#size);
    this.#size += kept.length;
    if (this.#state === "memory") {
      this.#held.push(kept.slice());
      if (this.#size > IN_MEMORY_LIMIT) await this.#guard(() => this.#open());
    } else {
      await this.#guard(() => this.#write(kept));
    }
  }

  /** The file's path, if there is one. */
  close(): string | undefined {
    this.#file?.close();
    this.#held = [];
    return this.#state === "file" ? this.#path : undefined;
  }

  async #open(): Promise<void> {
    this.#file = await Deno.open(this.#path, { write: true, createNew: true, mode: 0o600 });
    this.#state = "file";
    const held = this.#held;
    this.#held = [];
    await this.#write(concat(held, this.#size));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    let at = 0;
    while (at < bytes.length) at += await this.#file!.write(bytes.subarray(at));
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch {
      const made = this.#file !== undefined;
      this.close();
      this.#state = "failed";
      if (made) await Deno.remove(this.#path).catch(() => {});
    }
  }
}
