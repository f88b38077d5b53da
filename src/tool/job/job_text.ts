import type { JobEnd, JobOutcome, JobReading } from "../../bash/jobs.ts";
import { JOB_TIMEOUT_MS } from "../../bash/jobs.ts";
import type { Unread } from "../../bash/unread.ts";
import { oneLine } from "../../errors.ts";
import { confinementHint } from "../bash/confinement_hint.ts";
import { code } from "../view.ts";
import { accountMarkers, cutOutput, exitMarker, joinLines, stopMarker, stopNote } from "../bash/markers.ts";

/** Characters of a command that name its job. */
const NAME_LENGTH = 120;

/** What the model reads of one look at a job: what is new, then marker lines, last how it stands or ended. */
export function readingText(reading: JobReading, workspace: string): string {
  const { output, outcome, result } = reading;
  const shown = cutOutput(output.head, output.omittedBytes, output.tail, result?.spillPath);
  return joinLines([
    ...(shown.every((text) => text === "") ? ["[no new output]"] : shown),
    ...(result ? accountMarkers(result) : []),
    ...(outcome ? endMarkers(reading, outcome, workspace) : [runningMarker(reading)]),
  ]);
}

/** The same output for people, without a word for the model. */
export function shownOutput({ head, omittedBytes, tail }: Unread): string {
  return omittedBytes > 0 ? `${head}\n… ${omittedBytes} bytes omitted …\n${tail}` : head + tail;
}

function runningMarker({ name, runningMs }: JobReading): string {
  return `[${name} runs, ${seconds(runningMs)} so far]`;
}

function endMarkers(reading: JobReading, outcome: JobOutcome, workspace: string): string[] {
  const { name, output, report, request } = reading;
  if ("failure" in outcome) return [`[${name} could not be run: ${outcome.failure}]`];
  const { exit, stopped, durationMs } = outcome;
  const hint = stopped ? "" : confinementHint({
    ...{
      output: output.head + output.tail,
      exit,
      report,
      preset: report.preset,
      escalated: request.escalate,
    },
    ...{ workspace, cwd: request.cwd },
  });
  return [
    `[${name} ended after ${seconds(durationMs)}]`,
    stopMarker(stopped, JOB_TIMEOUT_MS),
    hint,
    exitMarker(exit) || "[exit code: 0]", // said in full: an end without a word looks like none
  ];
}

/** What stands in front of the user's next message when a job has ended, or went down with the agent. */
export function reportForModel({ job, command, outcome }: JobEnd): string {
  return `[Background ${job} (${oneLine(command, NAME_LENGTH)}) ${endWords(outcome)}]`;
}

/** The same for the user. */
export function reportForUser({ job, command, outcome }: JobEnd): string {
  return `Background ${job} (${code(oneLine(command, NAME_LENGTH))}) ${endWords(outcome)}`;
}

function endWords(outcome: JobOutcome): string {
  if ("failure" in outcome) return `is over: ${outcome.failure.replace(/\.?$/, ".")}`;
  return `has ended after ${seconds(outcome.durationMs)}. ${endNote(outcome)}`;
}

/** How a command or a job ended, as a sentence for people. */
export function endNote({ exit, stopped }: Exclude<JobOutcome, { failure: string }>): string {
  if (stopped) return stopNote(stopped);
  return "signal" in exit ? `Killed by ${exit.signal}.` : `Exit code ${exit.code}.`;
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
