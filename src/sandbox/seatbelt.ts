import type { OuterLayer, Probe } from "./layer.ts";
import type { Policy } from "./policy.ts";
import type { ProtectedMounts } from "./protected.ts";

/** What an executor may do on macOS. */
export interface SeatbeltProfile extends ProtectedMounts {
  /** `/usr/bin/sandbox-exec`. */
  readonly program: string;
  readonly policy: Policy;
}

/** macOS's own sandbox, by `sandbox-exec`. Written from its documentation and UNTESTED. */
export const seatbelt: OuterLayer<SeatbeltProfile> = {
  name: "seatbelt",
  wrap: (profile, argv) => [profile.program, "-p", seatbeltText(profile), "--", ...argv],
  async probe(profile): Promise<Probe> {
    const [program, ...args] = seatbelt.wrap(profile, ["/usr/bin/true"]);
    const output = await new Deno.Command(program!, { args, stdin: "null", stdout: "null", stderr: "piped" })
      .output().catch(() => undefined);
    if (output?.success) return { there: true };
    const said = output === undefined
      ? "it cannot be started"
      : new TextDecoder().decode(output.stderr).trim();
    return { there: false, missing: `sandbox-exec does not work here (${said.slice(0, 300)})` };
  },
};

/** Devices that may be written, beside terminals. */
const DEVICES = ["/dev/null", "/dev/zero", "/dev/dtracehelper", "/dev/ptmx"];

/** Services that open programs or secrets for others. */
const DENIED_SERVICES = [
  "com.apple.SecurityServer",
  "com.apple.securityd.xpc",
  "com.apple.coreservices.launchservicesd",
  "com.apple.pasteboard.1",
];

/**
 * The profile as text: later rules win. All may be read but the contents of secret places; what may be written,
 * which processes may be signalled and where may be connected to is told. Pure.
 */
export function seatbeltText({ policy, pinned, readOnly }: SeatbeltProfile): string {
  const subpaths = (paths: readonly string[]) => paths.map((path) => `  (subpath ${quote(path)})`);
  const rule = (head: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`(${head}`, ...lines, ")"];
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    ...rule("allow file-write*", [
      ...subpaths(policy.writable),
      ...DEVICES.map((path) => `  (literal ${quote(path)})`),
      '  (regex #"^/dev/ttys[0-9]+$")',
    ]),
    ...rule("deny file-write*", subpaths(readOnly)),
    ...rule("deny file-write-unlink", pinned.map((path) => `  (literal ${quote(path)})`)),
    ...rule("deny file-read-data", subpaths(policy.secret)),
    // The session's own directory lies in a secret place, and so do the user's skills.
    ...rule("allow file-read-data", subpaths([...policy.writable, ...policy.readable])),
    ...(policy.network ? ["(deny network-outbound (remote unix-socket))"] : [
      "(deny network*)",
      '(allow network* (local ip "localhost:*"))',
      "(deny network-outbound (remote unix-socket))",
    ]),
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    "(deny process-info*)",
    "(allow process-info* (target same-sandbox))",
    "(deny appleevent-send)",
    "(deny lsopen)",
    "(deny job-creation)",
    ...rule("deny mach-lookup", DENIED_SERVICES.map((name) => `  (global-name ${quote(name)})`)),
    "",
  ].join("\n");
}

function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
