import fc from "fast-check";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { assert, assertEquals } from "@std/assert";
import { merged } from "../../src/acp/merge.ts";
import { Presenter, type PresenterOptions } from "../../src/presentation/presenter.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { builtinTools } from "../../src/tool/registry.ts";
import { crashedSessions, sessions } from "../support/event_sequences.ts";
import { cardsOf, joinChunks } from "../support/updates.ts";
import type { Update } from "../support/wire.ts";

type Terminal = PresenterOptions["drawing"]["terminal"];
const TERMINALS: readonly Terminal[] = ["terminal_output", "terminal_output_delta", undefined];
/** What a line reader of 64 KiB can take. */
const MAX_FRAME = 64 * 1024;
const tools = builtinTools();
const logs = fc.oneof(sessions, crashedSessions);

function present(events: readonly SessionEvent[], terminal: Terminal, replay: boolean): SessionUpdate[] {
  const presenter = new Presenter({
    drawing: { terminal, notices: false, compaction: false },
    tools,
    cwd: "/w",
    replay,
  });
  return events.flatMap((event) => presenter.present(event));
}

/** What a slow client gets: neighbours that waited together are merged; `waits` says which did. */
function throughQueue(updates: readonly SessionUpdate[], waits: readonly boolean[]): SessionUpdate[] {
  const sent: SessionUpdate[] = [];
  updates.forEach((update, i) => {
    const last = sent.at(-1);
    const both = last && waits[i % waits.length] ? merged(last, update) : undefined;
    if (both) sent[sent.length - 1] = both;
    else sent.push(update);
  });
  return sent;
}

function shown(updates: readonly SessionUpdate[]): Update[] {
  return joinChunks(updates.filter((u) => u.sessionUpdate !== "user_message_chunk") as Update[]);
}

function assertFits(update: SessionUpdate): void {
  const params = { sessionId: `sess_${"0".repeat(32)}`, update };
  const frame = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params });
  const bytes = new TextEncoder().encode(frame).length + 1;
  assert(bytes < MAX_FRAME, `${update.sessionUpdate} takes ${bytes} bytes`);
}

const waits = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 });

for (const terminal of TERMINALS) {
  const client = terminal ?? "no terminal cards";

  Deno.test(`a replay shows what was shown live, however slowly that was read: ${client}`, () => {
    fc.assert(
      fc.property(logs, waits, (events, waits) => {
        const live = throughQueue(present(events, terminal, false), waits);
        assertEquals(shown(present(events, terminal, true)), shown(live));
      }),
      { numRuns: 150 },
    );
  });

  Deno.test(`no frame reaches 64 KiB, merged or not: ${client}`, () => {
    fc.assert(
      fc.property(logs, waits, (events, waits) => {
        const updates = present(events, terminal, true);
        for (const update of [...updates, ...throughQueue(updates, waits)]) assertFits(update);
      }),
      { numRuns: 150 },
    );
  });

  Deno.test(`every call that is announced ends once, and nothing comes behind its end: ${client}`, () => {
    fc.assert(
      fc.property(logs, (events) => {
        for (const card of cardsOf(present(events, terminal, false) as Update[])) {
          const ends = card.updates.filter((u) => u.status === "completed" || u.status === "failed");
          assertEquals([ends.length, card.last], [1, ends[0]], card.id);
        }
      }),
      { numRuns: 150 },
    );
  });
}
