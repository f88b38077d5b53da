import { fromFileUrl } from "@std/path";
import { Session } from "./session.ts";
import { denoDir, type Stage } from "./stage.ts";
import { eventually } from "./waiting.ts";
import type { Fields } from "./wire.ts";

/** Servers that lie with the tests. */
export type Program = "everything" | "filesystem" | "hostile";

/** The command line of a server that lies with the tests. */
export function serverCommand(program: Program, ...args: string[]): { command: string; args: string[] } {
  const path = fromFileUrl(new URL(`./mcp_servers/${program}.ts`, import.meta.url));
  return { command: Deno.execPath(), args: ["run", "-q", "-A", "--cached-only", path, ...args] };
}

/** A stdio server as a client asks for it. */
export function stdioServer(
  name: string,
  program: Program,
  args: string[] = [],
  env: Record<string, string> = {},
): Fields {
  return {
    name,
    ...serverCommand(program, ...args),
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
  };
}

/** The hostile server in one of its modes. */
export function hostile(
  name: string,
  mode = "plain",
  env: Record<string, string> = {},
  ...more: string[]
): Fields {
  return stdioServer(name, "hostile", [mode, ...more], env);
}

/** Opens a session with servers. */
export async function sessionWith(stage: Stage, servers: readonly Fields[]): Promise<Session> {
  const { sessionId } = await stage.agent.call("session/new", { cwd: stage.workspace, mcpServers: servers });
  return new Session(stage.agent, sessionId as string, stage.workspace);
}

/** A port that is free now. */
export function freePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return (listener.addr as Deno.NetAddr).port;
}

/** The reference server on a port, by HTTP or SSE; disposing it ends it. */
export async function serveEverything(
  kind: "http" | "sse",
  port: number = freePort(),
): Promise<{ url: string } & AsyncDisposable> {
  const { command, args } = serverCommand("everything", kind === "sse" ? "sse" : "streamableHttp");
  const child = new Deno.Command(command, {
    args,
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH")!, DENO_DIR: denoDir(), PORT: String(port) },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  const read = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) said += text;
  })();
  await eventually("the server listens", () => said.includes(`port ${port}`));
  return {
    url: `http://127.0.0.1:${port}/${kind === "sse" ? "sse" : "mcp"}`,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.status;
      await read;
    },
  };
}
