/**
 * The executor where there is no bash: dax's shell in a process of its own, under Deno's permissions alone. What
 * it does by itself (`cd`, `cat`, `rm`, redirections) they stop; the programs that it starts are not confined,
 * so that only those may be started that `--allow-run` names. No layer of the kernel is beneath: a link that
 * already stands in the workspace and leads out of it is followed, which is why the report says `none`.
 *
 * @module
 */
import { CommandBuilder } from "@david/dax";
import type { Policy } from "../../sandbox/policy.ts";
import { infoVersion } from "../../sandbox/version.ts";
import { FileError, type StopCause } from "../executor_handle.ts";
import { Files } from "../files.ts";
import { readLines } from "../lines.ts";
import { Output } from "../output.ts";
import { type FromExecutor, MARKER_VARIABLE, MAX_LINE_BYTES, type ToExecutor } from "../wire.ts";
import { writeMessage } from "../write_message.ts";

/** Bytes of output after which a command is ended. */
const OUTPUT_LIMIT = 1024 * 1024 * 1024;
/** Milliseconds between the two ways to end a command. */
const GRACE_MS = 300;
/** Milliseconds for which the output of what was killed is waited for. */
const DRAIN_MS = 100;
const SIGNALLED = 143;

type Run = ToExecutor & { op: "run" };

/** Serves the agent's requests until it says `exit` or closes stdin. Its argument is the policy as JSON. */
export async function main(args: readonly string[]): Promise<void> {
  const server = new Server(JSON.parse(args[0] ?? "") as Policy);
  for await (const line of readLines(Deno.stdin.readable, MAX_LINE_BYTES)) {
    const message = JSON.parse(line) as ToExecutor;
    if (message.op === "exit") break;
    void server.handle(message).catch(() => {}); // the agent is gone: then stdin ends too
  }
  server.end();
  Deno.exit(0);
}

class Server {
  readonly #policy: Policy;
  readonly #files: Files;
  readonly #stops = new Map<number, (cause: StopCause) => void>();
  #env: Record<string, string> = {};
  #marker = "";

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#files = new Files(policy, (_path, info) => infoVersion(info));
  }

  async handle(message: Exclude<ToExecutor, { op: "exit" }>): Promise<void> {
    switch (message.op) {
      case "init":
        [this.#env, this.#marker] = [message.env, message.marker];
        return await writeMessage({ ev: "ready", layers: ["deno", "env-scrub"], missing: [] });
      case "run":
        return await this.#run(message);
      case "cancel":
        return this.#stops.get(message.id)?.("cancelled");
      case "search":
        return await writeMessage({
          ...{ ev: "fault", id: message.id, fault: "failed" },
          message: "this shell cannot search",
        });
      default:
        return await writeMessage(
          await this.#file(message).catch((thrown): FromExecutor => ({
            ev: "fault",
            id: message.id,
            fault: thrown instanceof FileError ? thrown.fault : "failed",
            message: thrown instanceof Error ? thrown.message : String(thrown),
          })),
        );
    }
  }

  end(): void {
    for (const stop of this.#stops.values()) stop("cancelled");
  }

  async #file(
    message: ToExecutor & { op: "read" | "write" | "remove" | "stat" | "list" | "resolve" },
  ): Promise<FromExecutor> {
    const { id, path } = message;
    switch (message.op) {
      case "read": {
        const { bytes, ...about } = await this.#files.read(path, message.from ?? 0, message.maxBytes);
        return { ev: "content", id, base64: bytes.toBase64(), ...about };
      }
      case "write": {
        const { ifVersion, tempName } = message;
        const bytes = Uint8Array.fromBase64(message.base64);
        return {
          ev: "written",
          id,
          version: (await this.#files.write({ path, bytes, ifVersion, tempName })).version,
        };
      }
      case "remove":
        await this.#files.remove(path, message.ifVersion);
        return { ev: "removed", id };
      case "stat":
        return { ev: "stat", id, stat: await this.#files.stat(path) };
      case "list":
        return { ev: "listing", id, listing: await this.#files.list(path) };
      case "resolve":
        return { ev: "resolved", id, path: await this.#files.resolve(path) };
    }
  }

  async #run({ id, command, cwd, timeoutMs, liveLimit }: Run): Promise<void> {
    const spill = `${this.#policy.tempDir}/output-${crypto.randomUUID().slice(0, 8)}.log`;
    const output = new Output((text) => writeMessage({ ev: "output", id, text }), spill, liveLimit);
    const started = performance.now();
    const env = { ...this.#env, [MARKER_VARIABLE]: `${this.#marker}.${id}` };
    let pushed: Promise<void> = Promise.resolve();
    let cause: StopCause | undefined;
    const abandoned = Promise.withResolvers<number>();
    const sink = () =>
      new WritableStream<Uint8Array>({
        write: (bytes) => {
          if (output.totalBytes > OUTPUT_LIMIT) stop("output-limit");
          return pushed = pushed.then(() => output.push(bytes.slice()));
        },
      });
    const child = new CommandBuilder().command(command).cwd(cwd).clearEnv().env(env).noThrow()
      .stdin("null").stdout(sink()).stderr(sink()).spawn();
    const stop = (why: StopCause) => {
      if (cause !== undefined) return;
      cause = why;
      child.kill("SIGTERM");
      setTimeout(() => {
        child.kill("SIGKILL");
        // A grandchild may hold the pipe for ever: the agent ends it together with this process.
        setTimeout(() => abandoned.resolve(SIGNALLED), DRAIN_MS);
      }, GRACE_MS);
    };
    this.#stops.set(id, stop);
    const timer = setTimeout(() => stop("timeout"), timeoutMs);
    const ended = child.then((result) => result.code, (thrown) => this.#broken(output, thrown));
    const code = await Promise.race([ended, abandoned.promise]);
    clearTimeout(timer);
    this.#stops.delete(id);
    await pushed;
    await writeMessage({
      ev: "ended",
      id,
      result: {
        exit: cause === undefined ? { code: code & 0xff } : { signal: "SIGTERM" },
        stopped: cause,
        ...await output.finish(),
        strays: 0,
        durationMs: Math.round(performance.now() - started),
      },
    });
  }

  /** What dax cannot do it throws. */
  async #broken(output: Output, thrown: unknown): Promise<number> {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    await output.push(new TextEncoder().encode(`${message}\n`));
    return 2;
  }
}

if (import.meta.main) await main(Deno.args);
