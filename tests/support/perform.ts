import { assertEquals } from "@std/assert";
import type { Answer } from "./agent.ts";
import { editorFiles } from "./editor.ts";
import { exists } from "./files.ts";
import { stdioServer } from "./mcp.ts";
import { contentText, isPictures, script, type Step } from "./model_script.ts";
import { type PageServer, servePages } from "./page_server.ts";
import { changedSettings, newlySent, type Shown, shownAgain, valuesOf } from "./said.ts";
import { expanded, type Moment, type Reply, type Scene, type SceneServer } from "./scene.ts";
import { type PendingTurn, Session, type Turn } from "./session.ts";
import type { Stage } from "./stage.ts";
import { Transcript } from "./transcript.ts";
import { isTool } from "./updates.ts";
import { type Fields, type Message, type Update, updateIn } from "./wire.ts";

/** What the client was shown and asked, and what the model was told. */
export interface Performance {
  /** The commands that the client may offer, in scenes that are about them. */
  readonly offered?: unknown;
  readonly shown: unknown[];
  /** Settings that the client shows otherwise than at the opening. */
  readonly settings?: Shown;
  /** The requests of the agent that need the user; files of the editor are none. */
  readonly asked?: unknown[];
  /** What the model got as said by the user: prompts without a script, and what this program says for them. */
  readonly sent?: unknown[];
  /** The blocks of those prompts as a load shows them. */
  readonly again?: unknown[];
  /** What the next request to the model holds of it, after a load. */
  readonly told: unknown;
  /** Of the first prompt that did not end well, where it did not fail. */
  readonly stopReason?: unknown;
  readonly error?: unknown;
}

/** The prompt after the load, which shows what the model knows then. */
const LATER = "And now?";

/** Plays a scene in a folder of its own; gives what happened, and what a load of the session shows. */
export async function perform(
  stage: Stage,
  name: string,
  raw: Scene,
): Promise<{ live: Performance; replayed: unknown[] }> {
  await using pages = servePages(expanded(raw, "").pages ?? {});
  const scene = expanded(raw, pages.origin, stage.path(name));
  const { session, settings } = await setUp(stage, name, scene);
  const asked: Message[] = [];
  stage.agent.onRequest = answering(scene, session, asked);
  const offered = scene.awaits === undefined ? undefined : await offeredWith(scene.awaits, session);
  const { updates, answer, sent } = await play(stage, scene, session);
  const names = namesOf(stage, session, pages);
  const toldLive = scene.steps ? toldIn(stage, "") : [];
  const all = await replay(stage, session);
  const replayed = new Transcript(names).updates(all.filter((u) => u.sessionUpdate !== "user_message_chunk"));
  await session.run(LATER);
  const told = toldIn(stage, LATER);
  if (scene.steps && !scene.cancel && !scene.further) {
    assertEquals(told, toldLive, "after a load the model is told something else");
  }
  const transcript = new Transcript(names);
  const optional = (key: string, list: readonly unknown[]) =>
    list.length > 0 ? { [key]: transcript.normalize(list) } : {};
  const changed = changedSettings(settings, updates);
  const live: Performance = {
    ...scene.offers ? { offered: transcript.normalize(offered) } : {},
    shown: transcript.updates(updates),
    ...Object.keys(changed).length > 0 ? { settings: changed } : {},
    ...optional("asked", asked.map(({ method, params }) => ({ method, params }))),
    ...optional("sent", sent),
    ...optional("again", shownAgain(all)),
    told: transcript.normalize(told),
    ...answer.error
      ? { error: transcript.normalize(answer.error) }
      : { stopReason: answer.result?.stopReason },
  };
  await stage.agent.call("session/close", { sessionId: session.id });
  return { live, replayed };
}

/** What differs from run to run, the longest first. */
function namesOf(stage: Stage, session: Session, { origin }: PageServer): [string, string][] {
  return [
    [session.cwd, "$WORKSPACE"],
    [stage.root, "$ROOT"],
    [origin, "$PAGES"],
    [new URL(origin).host, "$HOST"],
    [session.id, "$SESSION"],
  ];
}

async function setUp(
  stage: Stage,
  name: string,
  scene: Scene,
): Promise<{ session: Session; settings: Shown }> {
  const folder = stage.path(name);
  await Deno.mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(scene.files ?? {})) {
    if (!exists(`${folder}/${path}`)) await stage.write(`${name}/${path}`, text);
  }
  if (scene.prepare) {
    const { success } = await new Deno.Command("bash", {
      args: ["-ec", scene.prepare],
      cwd: folder,
      env: { HOME: stage.home },
    }).output();
    if (!success) throw new Error(`the scene ${name} could not be prepared`);
  }
  const mcpServers = (scene.servers ?? []).map(serverOf);
  let told = await stage.agent.call("session/new", { cwd: folder, mcpServers });
  const session = new Session(stage.agent, told.sessionId as string, folder);
  const { id: sessionId } = session;
  for (const [configId, value] of Object.entries({ permission: scene.preset, model: scene.model })) {
    if (value === undefined) continue;
    told = await stage.agent.call("session/set_config_option", { sessionId, configId, value });
  }
  const settings = valuesOf(told.configOptions);
  return { session, settings: { ...settings, mode: settings.permission } }; // the two are one, in two shapes
}

function serverOf(server: SceneServer): Fields {
  if ("program" in server) return stdioServer(server.name, server.program, server.args);
  return { ...server, args: [], env: [] };
}

/** The commands that the client may offer, from when this one is among them. */
async function offeredWith(name: string, { agent, id }: Session): Promise<unknown> {
  const commands = (message: Message) =>
    (updateIn(message, id) as unknown as Fields | undefined)?.availableCommands as Fields[] | undefined;
  const isOffered = (message: Message) => commands(message)?.some((c) => c.name === name) ?? false;
  return commands((await agent.until(isOffered, { from: 0, what: `the command ${name}` })).message);
}

/** Plays the prompts one after the other; the answer is that of the first which did not end well. */
async function play(stage: Stage, scene: Scene, session: Session): Promise<Turn & { sent: unknown[] }> {
  const turns = [];
  const sent = [];
  const { calls } = stage.model;
  const from = calls.length;
  const prompts = [
    () => playTurn(stage, scene, session),
    ...scene.then ? [() => session.prompt(script(...scene.then!))] : [],
    ...(scene.further ?? []).map((prompt) => () => session.prompt(prompt)),
  ];
  for (const prompt of prompts) {
    const before = calls.length;
    turns.push(await prompt());
    if (calls[before]) sent.push(...newlySent(calls[before], calls.slice(from, before)));
  }
  const end = turns.find((turn) => turn.stopReason !== "end_turn") ?? turns[0]!;
  return { ...end, updates: turns.flatMap((turn) => turn.updates), sent };
}

async function playTurn(stage: Stage, scene: Scene, session: Session): Promise<Turn> {
  const turn = await session.begin([...scene.prompt ?? [], ...scriptOf(scene.steps)]);
  const opened = Object.entries(scene.gates ?? {}).map(async ([gate, moment]) => {
    await until(turn, moment);
    stage.model.open(gate);
  });
  if (scene.cancel && scene.cancel !== "asked") {
    await until(turn, scene.cancel);
    await session.cancel();
  }
  await Promise.all(opened);
  return await turn.end();
}

function scriptOf(steps: readonly Step[] | undefined): Fields[] {
  return steps ? [{ type: "text", text: script(...steps) }] : [];
}

async function until(turn: PendingTurn, moment: Moment): Promise<void> {
  await turn.until((update) => isMoment(moment, update, turn.updates), JSON.stringify(moment));
}

function isMoment(moment: Moment, update: Update, updates: readonly Update[]): boolean {
  if ("text" in moment) return isTool(update) && JSON.stringify(update).includes(moment.text);
  const call = updates.filter((u) => u.sessionUpdate === "tool_call")[moment.call - 1];
  return isTool(update) && update.toolCallId === call?.toolCallId && update.status === moment.status;
}

function answering(scene: Scene, session: Session, asked: Message[]): (request: Message) => Promise<Answer> {
  const replies = [...scene.answers ?? []];
  return async (request) => {
    if (request.method?.startsWith("fs/")) return await editorFiles(request);
    const { sessionId: _, ...params } = request.params ?? {};
    asked.push({ method: request.method!, params });
    if (scene.cancel === "asked") {
      await session.cancel();
      return { result: resultOf("cancelled", request) };
    }
    return { result: resultOf(replies.shift() ?? "reject_once", request) };
  };
}

function resultOf(reply: Reply, request: Message): Fields {
  const isForm = request.method === "elicitation/create";
  if (typeof reply === "object") return "choose" in reply ? chosen(String(reply.choose), request) : reply;
  if (isForm) return { action: reply === "cancelled" ? "cancel" : "decline" };
  if (reply === "cancelled") return { outcome: { outcome: "cancelled" } };
  return selected((option) => option.kind === reply, request);
}

/** An option by its label, in a form or among buttons. */
function chosen(label: string, request: Message): Fields {
  if (request.method === "elicitation/create") return { action: "accept", content: { answer: label } };
  return selected((option) => option.name === label, request);
}

type Option = { readonly optionId: string; readonly kind: string; readonly name: string };

function selected(which: (option: Option) => boolean, request: Message): Fields {
  const optionId = (request.params?.options as Option[]).find(which)?.optionId ?? "";
  return { outcome: { outcome: "selected", optionId } };
}

async function replay(stage: Stage, session: Session): Promise<Update[]> {
  await stage.agent.call("session/close", { sessionId: session.id });
  const from = stage.agent.frames.length;
  await stage.load(session.id, session.cwd);
  return stage.agent.updatesOf(session.id, from);
}

/** The results of calls, the images behind them, and what stands before the prompt `asked`. */
function toldIn(stage: Stage, asked: string): string[] {
  const { messages } = stage.model.lastCall;
  return messages.flatMap((message, i) => {
    const text = contentText(message.content);
    if (message.role === "tool") return [text];
    if (message.role !== "user") return [];
    if (isPictures(message)) return [`${text.trim()} (and the image)`];
    const before = i === messages.length - 1 && asked !== "" ? text.slice(0, -asked.length).trim() : "";
    return before === "" ? [] : [before];
  });
}
