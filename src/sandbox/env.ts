/** What {@linkcode scrubEnv} needs beside the environment. */
export interface ScrubOptions {
  /** Names that the user lets pass, whatever they look like. */
  readonly pass: readonly string[];
  /** The session's private temporary directory. */
  readonly tempDir: string;
  /** False: caches stay where the user has them, since they may be written. */
  readonly confined: boolean;
  /** Absolute path of the shell that runs the commands. */
  readonly bash: string;
}

/** Names that pass by themselves. */
const ALLOWED = new RegExp(
  "^(" + [
    "PATH|HOME|USER|LOGNAME|USERNAME|HOSTNAME|TZ|COLORTERM",
    "LANG|LANGUAGE|LC_[A-Z]+|KEYBOARD_[A-Z_]+|XKB_[A-Z_]+",
    "XDG_(CONFIG|DATA|CACHE|STATE)_(HOME|DIRS)",
    "JAVA_HOME|ANDROID_HOME|ANDROID_SDK_ROOT|GOPATH|GOROOT|GOFLAGS|GOPROXY|CARGO_HOME|RUSTUP_HOME|RUST_BACKTRACE",
    "NVM_DIR|NVM_BIN|NODE_ENV|NODE_PATH|PNPM_HOME|BUN_INSTALL|DENO_DIR|DENO_INSTALL",
    "PYENV_ROOT|PYENV_VERSION|VIRTUAL_ENV|CONDA_PREFIX|CONDA_DEFAULT_ENV|RBENV_ROOT|RBENV_VERSION|GEM_HOME",
    "ASDF_DIR|ASDF_DATA_DIR|MISE_DATA_DIR|SDKMAN_DIR|DOTNET_ROOT|MAVEN_HOME|M2_HOME|GRADLE_HOME",
    "CC|CXX|CFLAGS|CXXFLAGS|LDFLAGS|PKG_CONFIG_PATH|MAKEFLAGS|CI",
    "SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE",
    "(HTTPS?|ALL|NO|FTP)_PROXY|(https?|all|no|ftp)_proxy",
    "SYSTEMROOT|COMSPEC|PATHEXT|PROGRAMFILES|APPDATA|LOCALAPPDATA|USERPROFILE|WINDIR",
  ].join("|") + ")$",
);

/** Names that never pass, not even when the user names them: they change the shell or the loader itself. */
const NEVER =
  /^(LD_.*|DYLD_.*|BASH_ENV|ENV|BASH_FUNC_.*|BASH_XTRACEFD|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|IFS|CDPATH|GLOBIGNORE)$/;

/** Names that tell of a secret; by whole words, so that KEYBOARD_LAYOUT is none. */
const SECRET_NAME =
  /(^|_)(API_?KEYS?|KEYS?|TOKENS?|PATS?|SECRETS?|PASS|PASSWORDS?|PASSWD|PASSPHRASE|PWD|AUTH|CRED|CREDS|CREDENTIALS?|PRIVATE|COOKIES?|SIGNATURE|DSN)($|_)/i;

/** Values that are secrets whatever they are called. */
const SECRET_VALUE = [
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:[^\s/@]+@/i, // a URL with a password
  /[a-z][a-z0-9+.-]*:\/\/[^\s/@:]{16,}@/i, // a URL with a token for a user
  /[?&](access_token|token|api_?key|key|secret|password|sig|signature)=[^&\s]{6,}/i,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\./, // a JWT
  /\b(sk|pk|rk)[-_](live|test|ant|proj|or)?[-_]?[A-Za-z0-9_-]{16,}/,
  /\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})/,
  /\b(AKIA|ASIA|AROA)[A-Z0-9]{12,}\b/,
  /\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}/,
  /\bxox[abeprs]-[\w-]{10,}|\bhttps:\/\/hooks\.slack\.com\/services\//,
  /\b(npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|hf_[A-Za-z0-9]{20,}|dop_v1_\w{30,}|shpat_\w{20,}|SG\.[\w-]{16,})/,
  /\b(bearer|basic)\s+[\w.+/=-]{16,}/i,
];

/** Does a text hold what is a secret wherever it stands? */
export function looksLikeSecret(text: string): boolean {
  return SECRET_VALUE.some((pattern) => pattern.test(text));
}

/** What these hold is looked for in no pattern: without them nothing runs. */
const PLAIN = new Set(["PATH", "HOME", "LANG", "USER", "LOGNAME"]);

/** Does a variable hold a secret, by its name or its value? */
export function looksSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || looksLikeSecret(value);
}

/** True when a variable may be seen by commands. */
export function passesScrub(name: string, value: string, pass: readonly string[]): boolean {
  if (NEVER.test(name) || value.includes("\0")) return false;
  if (pass.includes(name) || PLAIN.has(name)) return true;
  return ALLOWED.test(name) && !looksSecret(name, value);
}

/**
 * The environment of commands: what the allow-list and the user's names let pass, without what looks like a
 * secret, and the values that make programs behave without a terminal and a human. Pure.
 */
export function scrubEnv(
  environment: Readonly<Record<string, string>>,
  options: ScrubOptions,
): Record<string, string> {
  const passed = Object.entries(environment).filter(([name, value]) =>
    passesScrub(name, value, options.pass)
  );
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    ...Object.fromEntries(passed),
    ...FIXED,
    SHELL: options.bash,
    TMPDIR: options.tempDir,
    ...(options.confined ? caches(options.tempDir, environment) : {}),
  };
}

const FIXED: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  EDITOR: "true",
  VISUAL: "true",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  DEBIAN_FRONTEND: "noninteractive",
};

/** Caches that may be written; Deno's stays where it is, since it is of use when it can only be read. */
function caches(tempDir: string, environment: Readonly<Record<string, string>>): Record<string, string> {
  const home = environment.XDG_CACHE_HOME ?? (environment.HOME && `${environment.HOME}/.cache`);
  return {
    XDG_CACHE_HOME: `${tempDir}/cache`,
    npm_config_cache: `${tempDir}/cache/npm`,
    npm_config_update_notifier: "false",
    ...(home && !environment.DENO_DIR ? { DENO_DIR: `${home}/deno` } : {}),
  };
}
