import type { LayerName } from "../../sandbox/report.ts";

/** What of the confinement a command ran into. */
export type Cause =
  /** No network. */
  | "network"
  /** No sockets at all, not even on localhost. */
  | "sockets"
  /** The machine's own localhost, which is not the sandbox's. */
  | "localhost"
  /** No network, and no keys for what is behind it. */
  | "ssh"
  /** Keys and logins that are closed. */
  | "logins"
  /** A daemon behind a socket file. */
  | "service"
  /** A /tmp of its own. */
  | "tmp"
  /** Mounts, namespaces, other users' processes. */
  | "kernel";

/** One way in which programs say what they ran into. */
export interface Sign {
  readonly cause: Cause;
  readonly pattern: RegExp;
  /** Set: other things make programs say the same. */
  readonly unsure?: true;
  /** Set: only this layer makes programs say so. */
  readonly layer?: LayerName;
}

/** As programs say it; the first that fits counts, so what is special stands before what is general. */
export const SIGNS: readonly Sign[] = [
  { cause: "service", pattern: /docker daemon|docker\.sock|podman\.sock|containerd\.sock/i },
  {
    cause: "service",
    pattern:
      /Failed to connect to (?:the )?(?:system|session|user)?.{0,20}\bbus\b|org\.freedesktop\.(?:DBus|secrets)|(?:no|can't connect to the) (?:gpg-|key)?agent|connection to your authentication agent|keyring backend/i,
  },
  { cause: "service", pattern: /cannot open display|unable to open (?:X )?display/i },
  { cause: "ssh", pattern: /^ssh: (?:Could not resolve hostname|connect to host)/m },
  { cause: "logins", pattern: /^(?:.+: )?Permission denied \([\w,-]*publickey[\w,-]*\)/m },
  { cause: "logins", pattern: /could not read (?:Username|Password) for '?https?:/i },
  { cause: "logins", pattern: /^Load key ".+": (?:Permission denied|Operation not permitted)/m },
  {
    cause: "logins",
    pattern: /Host key verification failed|No (?:RSA|ECDSA|ED25519) host key is known/i,
    unsure: true,
  },
  // A sandbox with a network namespace has a localhost of its own; without one it opens no socket at all.
  {
    cause: "localhost",
    pattern: /Failed to connect to (?:localhost|127\.|\[?::1)/i,
    unsure: true,
    layer: "bubblewrap",
  },
  { cause: "localhost", pattern: /Connection refused|ECONNREFUSED/i, unsure: true, layer: "bubblewrap" },
  { cause: "sockets", pattern: /Failed to connect to (?:localhost|127\.|\[?::1)/i },
  { cause: "network", pattern: /Could not resolve host|unable to resolve host|Could not resolve '/i },
  { cause: "network", pattern: /Temporary failure in name resolution|Name or service not known/i },
  { cause: "network", pattern: /\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|EAI_FAIL)\b/ },
  { cause: "network", pattern: /getaddrinfo|failed to lookup address information|dns error|no such host/i },
  { cause: "network", pattern: /lookup \S+(?: on \S+)?: .*(?:no such host|permission denied|unreachable)/i },
  { cause: "network", pattern: /Network is (?:unreachable|down)|No route to host|network unreachable/i },
  { cause: "network", pattern: /Failed to connect to \S+ port \d+|dial (?:tcp|udp)\b.*permission denied/i },
  { cause: "network", pattern: /NewConnectionError|Max retries exceeded with url/ },
  {
    cause: "network",
    pattern: /Cannot connect to host|Couldn't connect to server|unable to access 'https?:/i,
  },
  { cause: "network", pattern: /spurious network error|failed to download from `?https?:/i },
  { cause: "network", pattern: /\(from versions: none\)|No matching distribution found/, unsure: true },
  { cause: "sockets", pattern: /tcp \w+ error: permission denied|denied \(os error 13\)\s+.*\blisten\b/i },
  { cause: "sockets", pattern: /syscall: '(?:listen|bind|connect|socket)'/ },
  { cause: "sockets", pattern: /\b(?:EACCES|EPERM)\b.{0,60}\b(?:listen|bind|connect|socket)\b/i },
  {
    cause: "sockets",
    pattern:
      /\b(?:listen|bind|socket)\w*\b.{0,80}(?:Permission denied|Operation not permitted|os error 13|os error 1\b)/i,
  },
  { cause: "sockets", pattern: /socket\.py"[\s\S]{0,600}PermissionError: \[Errno (?:1|13)\]/ },
  {
    cause: "tmp",
    pattern: /(?<![\w.])\/tmp\/[^\n]{0,200}(?:No such file or directory|ENOENT)|ENOENT[^\n]{0,80}'\/tmp\//,
    unsure: true,
    layer: "bubblewrap",
  },
  {
    cause: "kernel",
    pattern: /no new privileges|sudo: (?:effective uid|unable to|PERM_)|su: cannot set groups/i,
  },
  {
    cause: "kernel",
    pattern:
      /\b(?:mount|umount|unshare|nsenter|chroot|setns|clone3?|ptrace|strace|perf|bpf|keyctl|setuid|setgid|setgroups|bwrap|newuidmap)\b.{0,80}(?:permission denied|operation not permitted|EPERM)/i,
  },
  {
    cause: "kernel",
    pattern: /\b(?:chown|chgrp|chmod|renice|kill)\b.{0,120}Operation not permitted/i,
    unsure: true,
  },
];

/** How a refused file operation ends its line. */
export const FILE_REFUSED: RegExp =
  /permission denied|operation not permitted|read-only file system|\bE(?:ACCES|PERM|ROFS)\b|isn't writable|is not writable/i;

/** Programs that only read: where they are refused, it is not for writing. */
export const READERS: RegExp =
  /^(?:cat|head|tail|less|more|ls|grep|egrep|rg|find|wc|diff|cmp|du|stat|file|tree|sort|awk|sha\w*sum|md5sum|od|xxd|strings): |for reading/;
