import type { CallDelta } from "./chunk.ts";

/** A call of a reply while its pieces come in. */
export interface TrackedCall {
  /** Place in the reply: 0, 1, 2 …, whatever the server counted. */
  readonly index: number;
  /** Unique in the history: the server's, or one of ours if it gave none, one that is taken, or no plain one. */
  readonly id: string;
  readonly wireId: string | undefined;
  readonly wireIndex: number | undefined;
  name: string | undefined;
  /** All argument text so far, as it came. */
  args: string;
}

/** An id goes into every frame about its call, and into every client's tables: it is short, and of visible signs. */
const PLAIN_ID = /^[\x21-\x7e]{1,256}$/;

/** Ids that are taken, and where new ones come from. */
export interface CallIds {
  readonly taken: Iterable<string>;
  fresh(): string;
}

/**
 * Finds out which call a piece belongs to. Servers leave out the index or always send 0, leave out ids,
 * repeat them, or give two calls the same one, so that no single field decides.
 */
export class CallTracker {
  readonly calls: TrackedCall[] = [];
  readonly #taken: Set<string>;
  readonly #fresh: () => string;

  constructor(ids: CallIds) {
    this.#taken = new Set(ids.taken);
    this.#fresh = () => ids.fresh();
  }

  /** The call that the piece belongs to and the text it adds; undefined for a piece of nothing known. */
  add(delta: CallDelta): { call: TrackedCall; args: string } | undefined {
    const known = this.#find(delta);
    if (!known && delta.name === undefined && delta.id === undefined) return undefined;
    const call = known ?? this.#begin(delta);
    const args = known && isRepeat(known, delta) ? "" : delta.args;
    call.name ??= delta.name;
    call.args += args;
    return { call, args };
  }

  #begin(delta: CallDelta): TrackedCall {
    const call: TrackedCall = {
      index: this.calls.length,
      id: this.#unique(delta.id),
      wireId: delta.id,
      wireIndex: delta.index,
      name: undefined,
      args: "",
    };
    this.calls.push(call);
    return call;
  }

  #find(delta: CallDelta): TrackedCall | undefined {
    const last = this.calls.at(-1);
    const byIndex = this.calls.findLast((c) => delta.index !== undefined && c.wireIndex === delta.index);
    const byId = this.calls.findLast((c) => delta.id !== undefined && c.wireId === delta.id);
    if (delta.name === undefined) {
      if (byId && sameIndex(byId, delta)) return byId;
      const unseen = delta.id !== undefined && delta.index !== undefined && !byId;
      return byIndex ?? (unseen ? undefined : byId ?? last);
    }
    if (byId) return sameIndex(byId, delta) && goesOn(byId, delta) ? byId : undefined;
    // A new id with a name begins a call, unless the piece can only be the middle of one.
    if (delta.id !== undefined) return byIndex && isMiddle(byIndex, delta) ? byIndex : undefined;
    const candidate = delta.index === undefined ? last : byIndex;
    return candidate && goesOn(candidate, delta) ? candidate : undefined;
  }

  #unique(wireId: string | undefined): string {
    let id = wireId !== undefined && PLAIN_ID.test(wireId) ? wireId : this.#fresh();
    while (this.#taken.has(id)) id = this.#fresh();
    this.#taken.add(id);
    return id;
  }
}

function sameIndex(call: TrackedCall, delta: CallDelta): boolean {
  return delta.index === undefined || call.wireIndex === undefined || delta.index === call.wireIndex;
}

/**
 * Whether a piece that repeats a name goes on with the call: same name, and not a second whole call. In
 * doubt it does: a call too few is told to the model, a call too many would be run.
 */
function goesOn(call: TrackedCall, delta: CallDelta): boolean {
  if (call.name !== undefined && call.name !== delta.name) return false;
  return isRepeat(call, delta) || !(isComplete(call.args) && isStart(delta.args));
}

/** The whole call said once more: same id, same arguments. */
function isRepeat(call: TrackedCall, delta: CallDelta): boolean {
  return delta.id !== undefined && call.wireId === delta.id && delta.args !== "" &&
    call.args === delta.args &&
    isComplete(call.args);
}

function isMiddle(call: TrackedCall, delta: CallDelta): boolean {
  if (call.name === undefined) return true;
  return call.name === delta.name && delta.args !== "" && !isStart(delta.args) && !isComplete(call.args);
}

function isStart(args: string): boolean {
  return args.trimStart().startsWith("{");
}

function isComplete(args: string): boolean {
  if (!args.trimEnd().endsWith("}")) return false;
  try {
    JSON.parse(args);
    return true;
  } catch {
    return false;
  }
}
