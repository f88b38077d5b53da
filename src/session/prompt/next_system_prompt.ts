import type { Config, Preset } from "../../config/config.ts";
import type { SessionEvent } from "../event.ts";
import { readGuidance } from "../guidance/guidance.ts";
import { guidanceLine, guidanceText } from "../guidance/guidance_text.ts";
import type { SystemPrompt } from "../history.ts";
import { type PromptFacts, systemPrompt } from "./system_prompt.ts";

/** What a turn's system prompt speaks of. */
export interface PromptPlace {
  readonly config: Config;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly tempDir: string;
  readonly preset: Preset;
}

/** What is to be logged and told before a turn. */
export interface NextSystemPrompt {
  readonly event?: Extract<SessionEvent, { type: "system.set" }>;
  /** Set where instructions or skills are news to the user. */
  readonly notice?: string;
}

/** What system prompts are written from, as it is now. Never throws. */
export async function promptFacts(
  { config, cwd, roots, tempDir, preset }: PromptPlace,
): Promise<PromptFacts> {
  return {
    ...{ cwd, roots, tempDir, preset },
    os: `${Deno.build.os} ${Deno.build.arch}`,
    date: new Date().toISOString().slice(0, 10),
    guidance: await readGuidance({ config, cwd, roots, tempDir }),
    extra: config.systemPrompt,
  };
}

/**
 * The system prompt of the next turn, where it is another one than `logged`: providers keep what they have read
 * of a conversation by its beginning, so it stays word for word as long as it is true. A new day alone changes
 * nothing. Never throws.
 */
export async function nextSystemPrompt(
  logged: SystemPrompt | undefined,
  place: PromptPlace,
): Promise<NextSystemPrompt> {
  const facts = await promptFacts(place);
  const { cwd, roots, preset, guidance, date } = facts;
  const textOf = (date: string) => systemPrompt({ ...facts, date });
  if (logged && logged.text === textOf(logged.date ?? date)) return {};
  const told = guidanceLine(guidance, cwd, place.config.home);
  const event = { type: "system.set", text: textOf(date), cwd, preset, roots, date, told } as const;
  return { event, ...newsOf(logged, guidanceText(guidance), told) };
}

function newsOf(
  logged: SystemPrompt | undefined,
  text: string,
  told: string | undefined,
): { notice?: string } {
  if (told !== logged?.told) return { notice: told ?? "There are no instructions or skills any more." };
  return told === undefined || logged?.text.includes(text) ? {} : { notice: `Read again. ${told}` };
}
