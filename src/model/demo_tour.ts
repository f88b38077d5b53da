import type { ModelMessage, ModelRequest } from "./model.ts";
import { roundOf, type Step } from "./demo_script.ts";

/** Milliseconds between two words: slow enough to be watched, quick enough not to bore. */
const WORD_MS = 18;

interface Stop {
  readonly think?: string;
  readonly say: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const STOPS: readonly Stop[] = [
  {
    think: "The user wants the tour. greet.sh greets with a typo; I look at it before I change it.",
    say: "I will read greet.sh, mend its greeting, run it, and then try something I should not be allowed " +
      "to do.\n\n",
    tool: "read",
    args: { path: "greet.sh" },
  },
  {
    say: 'It says "Helo". One letter is missing.\n\n',
    tool: "edit",
    args: { path: "greet.sh", old_string: 'echo "Helo, $1!"', new_string: 'echo "Hello, $1!"' },
  },
  {
    say: "Now the script runs, confined to this workspace.\n\n",
    tool: "bash",
    args: {
      command: "for name in Ada Grace Edsger; do bash greet.sh $name; sleep 0.3; done",
      description: "Run the fixed script",
    },
  },
  {
    think: "Last stop: a write outside the workspace, which the confinement should stop.",
    say: "The greeting is right. Last, a write to your shell's start-up file, outside the workspace.\n\n",
    tool: "bash",
    args: { command: "echo planted >> ~/.bashrc", description: "Try to write outside the workspace" },
  },
];

/** True for the prompt that starts the tour of `dsh-acp demo`. */
export function isTour(text: string): boolean {
  return /^\s*tour\b/i.test(text);
}

/** The steps of the tour's next reply, read off the history. Stops whose tool is not offered are left out. */
export function tourSteps(request: ModelRequest): readonly Step[] {
  const stops = STOPS.filter((stop) => request.tools.some((tool) => tool.name === stop.tool));
  const last = request.messages.at(-1);
  const trouble = last?.role === "tool" && last.isError && last.name !== "bash" ? last.text : undefined;
  if (trouble !== undefined) {
    return [
      say(`The tour ends here, since ${last?.role === "tool" ? last.name : "a tool"} failed: ${trouble}`),
    ];
  }
  const stop = stops[roundOf(request.messages)];
  if (!stop) return [say(farewell(last))];
  return [
    ...(stop.think ? [{ do: "think", text: stop.think, pace: { ms: WORD_MS } } as const] : []),
    say(stop.say),
    { do: "call", calls: [{ name: stop.tool, args: JSON.stringify(stop.args) }] },
  ];
}

/** What a shell, the kernel or a person who said no leaves in a result. */
const REFUSED =
  /permission denied|read-only file system|not permitted|no such file|denied|declined|reject|refused|not allowed|\[(exit code|killed)/i;

function farewell(last: ModelMessage | undefined): string {
  if (last?.role !== "tool") {
    return "The tour needs the tools read, edit and bash, and none of them is there.";
  }
  if (last.isError || REFUSED.test(last.text)) {
    return "The confinement stopped that write: nothing outside the workspace was changed, and the mended " +
      "greet.sh is all that is left of this tour. I am a script; set DEEPSEEK_API_KEY for a real model.";
  }
  return "That write went through: the command was not stopped, so your start-up file may now end with the " +
    "line `planted`. Run `dsh-acp doctor` to see which layers of the confinement are missing.";
}

function say(text: string): Step {
  return { do: "text", text, pace: { ms: WORD_MS } };
}
