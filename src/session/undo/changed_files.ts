import type { FileBefore, PromptPart, SessionEvent } from "../event.ts";

/** One file that a turn changed by its file tools. */
export interface ChangedFile {
  readonly path: string;
  /** What it held before the turn. */
  readonly before: FileBefore;
  /** Hashes of what the turn gave it, the last one or, where that write failed, an earlier one still in place. */
  readonly after: ReadonlySet<string>;
}

/** A turn whose file changes can be taken back. */
export interface ChangedTurn {
  readonly turn: string;
  readonly prompt: readonly PromptPart[];
  /** In the order in which they were first changed. */
  readonly files: readonly ChangedFile[];
  /** Commands that were begun in it, but for those that are known to have only read. */
  readonly commands: readonly string[];
  /** Was the taking back begun before, and not brought to its end? */
  readonly interrupted: boolean;
}

interface OpenTurn extends ChangedTurn {
  interrupted: boolean;
  readonly files: (ChangedFile & { readonly after: Set<string> })[];
  readonly commands: string[];
}

/** Which files each turn changed and nobody has taken back: a projection of the log. */
export class ChangedFiles {
  #turns: OpenTurn[] = [];
  #turn: OpenTurn | undefined;
  /** Commands of this turn that were announced, by call. */
  readonly #announced = new Map<string, string>();
  #forked = false;

  /** Takes the next event. */
  add(event: SessionEvent): void {
    switch (event.type) {
      case "session.forked": // what was kept for its turns stays with the other session
        [this.#turns, this.#turn, this.#forked] = [[], undefined, true];
        return;
      case "turn.started":
        this.#turn = { turn: event.turn, prompt: event.prompt, files: [], commands: [], interrupted: false };
        this.#announced.clear();
        return;
      case "file.changed":
        return this.#changed(event);
      case "undo.started":
        for (const each of this.#turns) each.interrupted ||= each.turn === event.turn;
        return;
      case "undo.done":
        this.#turns = this.#turns.filter(({ turn }) => turn !== event.turn);
        return;
      case "child":
        return this.#command(event.event, `${event.callId}/`);
      default:
        return this.#command(event, "");
    }
  }

  /** The last turn with changes that were not taken back. */
  get last(): ChangedTurn | undefined {
    return this.#turns.at(-1);
  }

  /** Are there earlier turns of which nothing is known, since they were made in the session that this is a fork of? */
  get forked(): boolean {
    return this.#forked;
  }

  #changed({ path, before, after }: Extract<SessionEvent, { type: "file.changed" }>): void {
    const turn = this.#turn;
    const known = turn?.files.find((file) => file.path === path);
    if (known) return void known.after.add(after);
    if (turn === undefined || before === undefined) return;
    if (turn.files.length === 0) this.#turns.push(turn);
    turn.files.push({ path, before, after: new Set([after]) });
  }

  #command(event: SessionEvent, prefix: string): void {
    // What its card says to be reading (`facts`) changed nothing.
    if (event.type === "tool.called" && event.name === "bash" && event.facts === undefined) {
      this.#announced.set(prefix + event.callId, commandOf(event.args));
    } else if (event.type === "tool.started") {
      const command = this.#announced.get(prefix + event.callId);
      if (command !== undefined) this.#turn?.commands.push(command);
    }
  }
}

function commandOf(args: string): string {
  try {
    return String(JSON.parse(args).command);
  } catch {
    return args;
  }
}
