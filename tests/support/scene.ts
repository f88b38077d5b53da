import { exists } from "./files.ts";
import type { Answer } from "./agent.ts";
import { editorFiles } from "./editor.ts";
import { contentText, script, type Step } from "./model_script.ts";
import type { PendingTurn, Session } from "./session.ts";
import type { Stage } from "./stage.ts";
import { Transcript } from "./transcript.ts";
import { isTool } from "./updates.ts";
import type { Fields, Message, Update } from "./wire.ts";

/** What the user answers to one question: the kind of a permission option, or an elicitation's result. */
type Reply = "allow_once" | "allow_always" | "reject_once" | "cancelled" | Fields;

/** A scene of fixtures/<name>/scene.json: what is there, what the model does, what the user does. */
export interface Scene {
  /** Files of the workspace: relative path → text. */
  readonly files?: Readonly<Record<string, string>>;
  /** Commands that prepare the workspace: what no text file can be (a FIFO, bytes, rights). */
  readonly prepare?: string;
  /** Long texts: each `$NAME` in files and steps stands for a text that is repeated so many times. */
  readonly texts?: Readonly<Record<string, readonly [text: string, times: number]>>;
  readonly preset?: string;
  /** Blocks of the prompt before the script. */
  readonly prompt?: readonly Fields[];
  readonly steps: readonly Step[];
  /** To the questions in their order; what is asked beyond them is rejected. */
  readonly answers?: readonly Reply[];
  /** The user cancels at this moment: a call was announced, began, or asks. */
  readonly cancel?: "announced" | "started" | "asked";
}

/** What the client was shown and asked, what the model was told, and how a load shows it. */
export interface Performance {
  readonly shown: unknown[];
  /** The requests of the agent that need the user; files of the editor are none. */
  readonly asked?: unknown[];
  readonly told: unknown;
  readonly stopReason: unknown;
}

/** Plays a scene in a folder of its own; gives what happened, and what a load of the session shows. */
export async function perform(
  stage: Stage,
  name: string,
  raw: Scene,
): Promise<{ live: Performance; replayed: unknown[] }> {
  const scene = expanded(raw);
  const session = await setUp(stage, name, scene);
  const asked: Message[] = [];
  stage.agent.onRequest = answering(scene, session, asked);
  const turn = await session.begin([
    ...scene.prompt ?? [],
    { type: "text", text: script(...scene.steps) },
  ]);
  await cancelling(scene, turn);
  const { updates, stopReason } = await turn.end();
  const folders = [[session.cwd, "$WORKSPACE"], [stage.root, "$ROOT"]] as const;
  const transcript = new Transcript(folders);
  const told = stage.model.lastCall.messages.filter((m) => m.role === "tool").map((m) =>
    contentText(m.content)
  );
  const live: Performance = {
    shown: transcript.updates(updates),
    ...asked.length > 0
      ? { asked: asked.map(({ method, params }) => transcript.normalize({ method, params })) }
      : {},
    told: transcript.normalize(told),
    stopReason,
  };
  return { live, replayed: new Transcript(folders).updates(await replay(stage, session)) };
}

async function setUp(stage: Stage, name: string, scene: Scene): Promise<Session> {
  const folder = stage.path(name);
  await Deno.mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(scene.files ?? {})) {
    if (!exists(`${folder}/${path}`)) await stage.write(`${name}/${path}`, text);
  }
  if (scene.prepare) {
    const { success } = await new Deno.Command("bash", { args: ["-ec", scene.prepare], cwd: folder })
      .output();
    if (!success) throw new Error(`the scene ${name} could not be prepared`);
  }
  const session = await stage.session(folder);
  if (scene.preset) {
    await stage.agent.call("session/set_config_option", {
      sessionId: session.id,
      configId: "permission",
      value: scene.preset,
    });
  }
  return session;
}

function answering(scene: Scene, session: Session, asked: Message[]): (request: Message) => Promise<Answer> {
  const replies = [...scene.answers ?? []];
  return async (request) => {
    if (request.method?.startsWith("fs/")) return await editorFiles(request);
    const { sessionId: _, ...params } = request.params ?? {};
    asked.push({ method: request.method!, params });
    if (scene.cancel === "asked") {
      await session.cancel();
      return { result: { outcome: { outcome: "cancelled" } } };
    }
    return { result: resultOf(replies.shift() ?? "reject_once", request) };
  };
}

function resultOf(reply: Reply, request: Message): Fields {
  if (typeof reply !== "string") return reply;
  if (request.method === "elicitation/create") {
    return { action: reply === "cancelled" ? "cancel" : "decline" };
  }
  if (reply === "cancelled") return { outcome: { outcome: "cancelled" } };
  const options = request.params?.options as { optionId: string; kind: string }[];
  const optionId = options.find((option) => option.kind === reply)?.optionId ?? "";
  return { outcome: { outcome: "selected", optionId } };
}

async function cancelling(scene: Scene, turn: PendingTurn): Promise<void> {
  if (scene.cancel === undefined || scene.cancel === "asked") return;
  const status = scene.cancel === "started" ? "in_progress" : "pending";
  await turn.until((u) => isTool(u) && u.status === status, `a call that is ${scene.cancel}`);
  await turn.session.cancel();
}

async function replay(stage: Stage, session: Session): Promise<Update[]> {
  await stage.agent.call("session/close", { sessionId: session.id });
  const from = stage.agent.frames.length;
  await stage.load(session.id, session.cwd);
  const updates = stage.agent.updatesOf(session.id, from);
  return updates.filter((u) => u.sessionUpdate !== "user_message_chunk");
}

/** The scene with its long texts written out. */
function expanded(scene: Scene): Scene {
  const texts = Object.entries(scene.texts ?? {});
  const expand = (value: unknown): unknown => {
    if (typeof value === "string") {
      return texts.reduce(
        (text, [name, [piece, times]]) => text.replaceAll(name, piece.repeat(times)),
        value,
      );
    }
    if (Array.isArray(value)) return value.map(expand);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, expand(v)]));
  };
  const { texts: _, ...rest } = scene;
  return expand(rest) as Scene;
}
