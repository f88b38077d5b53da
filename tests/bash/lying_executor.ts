/** An executor that was taken over: ready like a real one, or not, it answers what its first argument says. */
import type { FromExecutor, ToExecutor } from "../../src/bash/wire.ts";
import { readLines } from "../../src/bash/lines.ts";

const READY = {
  ev: "ready",
  layers: ["deno", "env-scrub", "landlock", "seccomp", "capabilities"],
  missing: [],
};
const RESULT = { exit: { code: 0 }, totalBytes: 0, omittedBytes: 0, tail: "", strays: 0, durationMs: 1 };

/** What is found, by the lie's name: asked for were two lines below `/ws`. */
const FINDS: Record<string, unknown> = {
  "the truth": find([{ path: "/ws/a", line: 1, text: "x" }]),
  "outside": find([{ path: "/etc/passwd", line: 1, text: "x" }]),
  "outside by dots": find([{ path: "/ws/../etc/passwd", line: 1, text: "x" }]),
  "outside by a name": find([{ path: "/wsx/a", line: 1, text: "x" }]),
  "too many": find(Array(3).fill({ path: "/ws/a", line: 1, text: "x" })),
  "more than all": { ...find([{ path: "/ws/a", line: 1, text: "x" }]), total: 0 },
  "too long": find([{ path: "/ws/a", line: 1, text: "x".repeat(5000) }]),
  "other kind": find([{ path: "/ws/a" }]),
  "line zero": find([{ path: "/ws/a", line: 0, text: "x" }]),
  "unknown field": find([{ path: "/ws/a", line: 1, text: "x", html: "<b>" }]),
  "no list": { entries: {}, total: 0, unreadable: false },
  "unknown stop": { ...find([]), stopped: "tired" },
};

function find(entries: readonly unknown[]): Record<string, unknown> {
  return { entries, total: entries.length, unreadable: false };
}

type Answer = (id: number) => unknown[];

const listing: (id: number, entries: unknown[]) => unknown[] = (id, entries) => [
  { ev: "listing", id, listing: { entries, more: 0 } },
];

/** By the lie's name: what is said at the start, to a command, and to a wish for a directory's entries. */
const LIES: Record<string, { start: unknown[]; answer?: Answer; file?: Answer }> = {
  "no layers": { start: [{ ...READY, layers: ["deno", "env-scrub"] }] },
  "unknown layer": { start: [{ ...READY, layers: ["magic"] }] },
  "garbage": { start: ["hello"] },
  "fatal": { start: [{ ev: "fatal", message: "no Landlock here" }] },
  "silent end": { start: [] },
  "unknown id": { start: [READY], answer: (id) => [{ ev: "ended", id: id + 7, result: RESULT }] },
  "wrong shape": {
    start: [READY],
    answer: (id) => [{ ev: "ended", id, result: { ...RESULT, exit: { code: "0" } } }],
  },
  "extra field": { start: [READY], answer: (id) => [{ ev: "output", id, text: "x", html: "y" }] },
  "foreign spill": {
    start: [READY],
    answer: (id) => [{ ev: "ended", id, result: { ...RESULT, spillPath: "/etc/passwd" } }],
  },
  "flood": { start: [READY], answer: (id) => Array(40).fill({ ev: "output", id, text: "x".repeat(60_000) }) },
  "file for a command": { start: [READY], answer: (id) => [{ ev: "written", id, version: "1" }] },
  "listing with a path": { start: [READY], file: (id) => listing(id, [{ name: "../x", kind: "file" }]) },
  "listing of a new kind": { start: [READY], file: (id) => listing(id, [{ name: "x", kind: "door" }]) },
  "endless listing": {
    start: [READY],
    file: (id) => listing(id, Array(1001).fill({ name: "x", kind: "file" })),
  },
  "stat for a listing": {
    start: [READY],
    file: (id) => [{ ev: "stat", id, stat: { kind: "directory", size: 0, version: "1" } }],
  },
  "more than removed": { start: [READY], file: (id) => [{ ev: "removed", id, version: "1" }] },
  "ready twice": { start: [READY], answer: () => [READY] },
  "prototype": { start: [READY], answer: () => [{ ev: "constructor", id: 1 }] },
  "found for a command": {
    start: [READY],
    answer: (id) => [{ ev: "found", id, result: { entries: [], total: 0, unreadable: false } }],
  },
  "endless line": { start: [READY], answer: () => ["x".repeat(50_000_000)] },
};

async function say(messages: readonly unknown[]): Promise<void> {
  const text = messages.map((m) => typeof m === "string" ? m : JSON.stringify(m)).join("\n") + "\n";
  const bytes = new TextEncoder().encode(messages.length === 0 ? "" : text);
  for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
}

const name = decodeURIComponent(new URL(import.meta.url).hash.slice(1));
const lie = LIES[name] ?? { start: [READY], answer: () => [] };
for await (const line of readLines(Deno.stdin.readable, 1_000_000)) {
  const message = JSON.parse(line) as ToExecutor;
  if (message.op === "init") await say(lie.start);
  if (lie.answer === undefined && lie.file === undefined) Deno.exit(0);
  if (message.op === "list" || message.op === "remove") {
    await say((lie.file?.(message.id) ?? []) as FromExecutor[]);
  }
  if (message.op === "search" && Object.hasOwn(FINDS, name)) {
    await say([{ ev: "found", id: message.id, result: FINDS[name] }]);
  }
  if (message.op === "run" && lie.answer) {
    await say(lie.answer(message.id) satisfies unknown[] as FromExecutor[]);
  }
  if (message.op === "exit") Deno.exit(0);
}
