/**
 * Start and first steps beside their floors, alternating in one run, as medians and ratios: spawn →
 * `initialize` beside a bare agent on the same SDK, `session/new`, and bash calls beside plain
 * `setsid bash -c`.
 */
import { fromFileUrl } from "@std/path";

const ROUNDS = 15;
const root = fromFileUrl(new URL("../..", import.meta.url));
const home = await Deno.makeTempDir();
const env = {
  HOME: home,
  PATH: Deno.env.get("PATH") ?? "",
  DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
  DSH_MODEL: "demo/demo",
};

/** A started agent, spoken to in raw lines. */
class Client {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #answers = new Map<number, (result: Record<string, unknown>) => void>();
  #next = 0;

  constructor(entry: string) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", `${root}/${entry}`],
      cwd: root,
      env,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    void this.#read();
  }

  async request(method: string, params: unknown): Promise<Record<string, unknown>> {
    const id = this.#next++;
    const answer = new Promise<Record<string, unknown>>((resolve) => this.#answers.set(id, resolve));
    await this.#writer.write(
      new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n"),
    );
    return await answer;
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#child.status;
  }

  async #read(): Promise<void> {
    let buffer = "";
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (buffer + text).split("\n");
      buffer = lines.pop() ?? "";
      for (const line of lines) {
        const message = JSON.parse(line);
        if (!message.method) this.#answers.get(message.id)?.(message.result ?? {});
      }
    }
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const INITIALIZE = {
  protocolVersion: 1,
  clientCapabilities: {},
  clientInfo: { name: "bench", version: "1" },
};

async function startTime(entry: string): Promise<number> {
  let client: Client | undefined;
  const ms = await timed(async () => {
    client = new Client(entry);
    await client.request("initialize", INITIALIZE);
  });
  await client?.close();
  return ms;
}

/** Time of a turn of the demo model that makes `calls` bash calls of `true`. */
async function turn(client: Client, sessionId: unknown, calls: number): Promise<number> {
  const script = Array.from({ length: calls }, () => ["call", "bash", { command: "true" }]);
  const text = `demo: ${JSON.stringify([...script, ["text", "done"]])}`;
  return await timed(() => client.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }));
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const show = (name: string, value: string) =>
  Deno.stdout.writeSync(new TextEncoder().encode(`${name.padEnd(44)} ${value}\n`));
const ms = (value: number) => `${value.toFixed(1)} ms`;

const [ours, bare]: [number[], number[]] = [[], []];
for (let i = 0; i < ROUNDS; i++) {
  ours.push(await startTime("mod.ts"));
  bare.push(await startTime("tests/bench/bare_agent.ts"));
}
show("spawn → initialize", ms(median(ours)));
show("  the same, bare Deno + SDK agent", ms(median(bare)));
show("  ratio", (median(ours) / median(bare)).toFixed(2));

const client = new Client("mod.ts");
await client.request("initialize", INITIALIZE);
const news: number[] = [];
let sessionId: unknown;
for (let i = 0; i < 50; i++) {
  news.push(
    await timed(
      async () => ({ sessionId } = await client.request("session/new", { cwd: home, mcpServers: [] })),
    ),
  );
}
show(
  "session/new (median, p95 of 50)",
  `${ms(median(news))}, ${ms(news.toSorted((a, b) => a - b)[47] ?? NaN)}`,
);

await turn(client, sessionId, 1); // starts the executor
const [calls, none, plain]: [number[], number[], number[]] = [[], [], []];
for (let i = 0; i < ROUNDS; i++) {
  none.push(await turn(client, sessionId, 0));
  calls.push((await turn(client, sessionId, 10) - median(none)) / 10);
  const start = performance.now();
  for (let n = 0; n < 10; n++) await new Deno.Command("setsid", { args: ["bash", "-c", "true"] }).output();
  plain.push((performance.now() - start) / 10);
}
show("a text turn of the demo model", ms(median(none)));
show("one bash call in a turn, model call included", ms(median(calls)));
show("  plain setsid bash -c true", ms(median(plain)));
show("  ratio", (median(calls) / median(plain)).toFixed(2));
await client.close();
await Deno.remove(home, { recursive: true });
