import type { Executor } from "./executor_handle.ts";

const MEND_MS = 20_000;

/** Puts protected places right, by commands of an executor. Each operation gives one line for people. */
export class Mender {
  readonly #executor: Executor;
  readonly #tempDir: string;

  constructor(executor: Executor, tempDir: string) {
    this.#executor = executor;
    this.#tempDir = tempDir;
  }

  /** What was planted is not lost: who planted it may have been the user, in an editor, meanwhile. */
  async moveAway(path: string): Promise<string> {
    const aside = `${this.#tempDir}/planted/${crypto.randomUUID().slice(0, 8)}`;
    const name = path.slice(path.lastIndexOf("/") + 1);
    const done = await this.#do(`mkdir -p ${quote(aside)} && mv -f -- ${quote(path)} ${quote(aside)}/`);
    return done ? `${path} was planted: moved to ${aside}/${name}` : failed(path, "planted");
  }

  /** Puts the former bytes back where a file was changed or removed. */
  async putBack(path: string, bytes: Uint8Array | undefined, how: string): Promise<string> {
    const moved = how === "changed" ? await this.moveAway(path) : undefined;
    if (bytes === undefined) return moved ?? failed(path, how);
    const done = await this.#executor.writeFile(path, bytes).then(() => true, () => false);
    return done ? `${path} was ${how}: put back` : failed(path, how);
  }

  async rewrite(path: string, text: string, doors: readonly string[]): Promise<string> {
    const bytes = new TextEncoder().encode(text);
    const done = await this.#executor.writeFile(path, bytes).then(() => true, () => false);
    const names = doors.slice(0, 8).join(", ").slice(0, 300);
    return done ? `${path} had settings planted: took out ${names}` : failed(path, "changed");
  }

  async moveBack(from: string, to: string): Promise<string> {
    const done = await this.#do(`mv -T -- ${quote(from)} ${quote(to)}`);
    return done ? `${to} was renamed to ${from}: moved back` : failed(to, "renamed");
  }

  async #do(command: string): Promise<boolean> {
    const request = { command, cwd: this.#tempDir, timeoutMs: MEND_MS };
    const result = await this.#executor.run(request, () => {}, new AbortController().signal).catch(() =>
      undefined
    );
    return result !== undefined && "code" in result.exit && result.exit.code === 0;
  }
}

function quote(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

function failed(path: string, how: string): string {
  return `${path} was ${how} and could not be put back: look at it before you use git or your editor here`;
}
