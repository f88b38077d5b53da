import { passesScrub } from "../../sandbox/env.ts";

/** What programs of the user need beside what commands get: their own places, and the desktop. */
const FURTHER =
  /^(TMPDIR|TEMP|TMP|SHELL|TERM|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS)$/;

/** The environment that servers are started with, before their own settings: none of the agent's keys. Pure. */
export function serverEnvironment(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => passesScrub(name, value, []) || FURTHER.test(name)),
  );
}
