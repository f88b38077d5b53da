import type { ToolRegistry } from "../../tool/registry.ts";
import { type Block, fence } from "../../tool/view.ts";
import type { EventLog } from "../event_log.ts";
import type { Front, Question } from "../ports.ts";
import { Slots } from "./slots.ts";

/** Whose questions are asked, and through whom. */
export interface ChildFrontDeps {
  readonly front: Front;
  /** The call that the child works for: the only card that the client knows of it. */
  readonly callId: string;
  /** What the user knows the child's task by. */
  readonly title: string;
  readonly log: EventLog;
  readonly tools: ToolRegistry;
  readonly cwd: string;
}

/**
 * A child's line to the user: its questions are asked on its parent's card, one at a time since a card holds no
 * more, and show what they are about.
 */
export function childFront({ front, callId, title, log, tools, cwd }: ChildFrontDeps): Front {
  const calls = new Map<string, { name: string; args: string }>();
  log.subscribe((event) => void (event.type === "tool.called" && calls.set(event.callId, event)));
  const turns = new Slots(1);
  return {
    ready: () => front.ready(),
    elicit: (elicitation, signal) => front.elicit({ ...elicitation, callId }, signal),
    elicitationDone: (id) => front.elicitationDone(id),
    choose: (choice, signal) => front.choose({ ...choice, callId }, signal),
    ask: async (question, signal) => {
      const { name = "", args = "" } = calls.get(question.callId) ?? {};
      const view = tools.presentCall(name, args, { cwd });
      // The card itself tells of the task alone; a command is nowhere to be read but here.
      const command: Block[] = view.kind === "execute"
        ? [{ type: "text", text: fence(view.title, "bash") }]
        : [];
      const asked: Question = {
        ...question,
        callId,
        asked: { title: view.title, kind: view.kind },
        reason: `Asked by the sub-agent "${title}". ${question.reason}`,
        preview: [...command, ...question.preview ?? view.blocks],
      };
      try {
        return await turns.run(() => front.ask(asked, signal), signal);
      } catch {
        return "cancelled"; // while it waited: a front never rejects
      }
    },
  };
}
