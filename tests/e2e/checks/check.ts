import type { AgentProcess } from "../../support/agent.ts";
import { Session } from "../../support/session.ts";
import type { Stage, StartOptions } from "../../support/stage.ts";
import type { Fields, Message } from "../../support/wire.ts";

/** One statement of the checklist, and what proves it against the program that runs on the stage. */
export type Check = readonly [statement: string, prove: (stage: Stage) => Promise<void> | void];

/** Lends an agent of its own to a check, with all the checks of its end; the stage's first one stays. */
export async function withAgent<T>(
  stage: Stage,
  options: StartOptions,
  use: (agent: AgentProcess) => Promise<T>,
): Promise<T> {
  // With a home of its own: what is left behind at its end is told from the first agent's by that.
  const env = { HOME: `${stage.root}/guest`, ...options.env };
  await Deno.mkdir(env.HOME, { recursive: true });
  const agent = await stage.start({ ...options, env });
  try {
    return await use(agent);
  } finally {
    await stage.stop();
  }
}

/** What opening a session asks for. */
export function place(stage: Stage, more: Fields = {}): Fields {
  return { cwd: stage.workspace, mcpServers: [], ...more };
}

/** Opens a session with further parameters, and tells what was answered. */
export async function opened(stage: Stage, more: Fields = {}): Promise<[Session, Fields]> {
  const answer = await stage.agent.call("session/new", place(stage, more));
  return [new Session(stage.agent, String(answer.sessionId), String(more.cwd ?? stage.workspace)), answer];
}

/** The answers among the messages from `from` on. */
export function answersFrom(agent: AgentProcess, from: number): Message[] {
  return agent.frames.slice(from).map((f) => f.message).filter((m) => m.method === undefined);
}

/** Picks the permission option of a kind. */
export function pick(kind: string): (request: Message) => { result: unknown } {
  return ({ params }) => {
    const options = (params?.options ?? []) as { optionId: string; kind: string }[];
    const optionId = options.find((option) => option.kind === kind)?.optionId;
    return { result: { outcome: { outcome: "selected", optionId } } };
  };
}
