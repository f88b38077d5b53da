import type { Preset } from "../config/config.ts";
import type { ThoughtLevel } from "../model/model.ts";
import type { SessionEvent } from "./event.ts";

/** What the user can choose for a session; a projection of its log. */
export interface Settings {
  readonly preset: Preset;
  /** `provider/model`; undefined: the configured one. */
  readonly model: string | undefined;
  /** Undefined: as the provider sees fit. */
  readonly thought: ThoughtLevel | undefined;
}

/** A change of one setting. */
export type SettingsEvent = Extract<SessionEvent, { type: "preset.set" | "model.set" | "thought.set" }>;

/** The settings after an event; of all others they stay as they are. */
export function changed(settings: Settings, event: SessionEvent): Settings {
  switch (event.type) {
    case "session.created":
    case "preset.set":
      return { ...settings, preset: event.preset };
    case "model.set":
      return { ...settings, model: event.model };
    case "thought.set":
      return { ...settings, thought: event.level ?? undefined };
    default:
      return settings;
  }
}

/** What a log says was chosen last; the narrowest preset where it does not say. */
export function settingsOf(events: readonly SessionEvent[]): Settings {
  return events.reduce(changed, { preset: "read-only", model: undefined, thought: undefined });
}
