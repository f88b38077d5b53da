/** What setting a variable means for the commands that see it. */
export type VariableKind =
  /** Changes how results look, never what runs: locale, time zone, colours, and a few test switches. */
  | "plain"
  /** A name that only the shell itself uses: lower case, not exported, not known to any program. */
  | "own"
  /** Chooses programs, options, files or code that others load. */
  | "door"
  /** Anything else: some program may read it. */
  | "other";

const LOCALE = /^(LANG|LANGUAGE|LC_[A-Z]+)$/;
const LOCALE_VALUE = /^(C|POSIX|[a-z]{2}_[A-Z]{2})?(\.(UTF-8|utf8))?$/;
const PLAIN = new Set(
  ("TZ NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES CI NODE_ENV RUST_BACKTRACE RUST_LOG " +
    "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE").split(" "),
);

/** Shell, loader, home and temp places, then what interpreters, build tools, pagers and editors load or run. */
const DOORS = new RegExp(
  "^(PATH|MANPATH|CDPATH|IFS|ENV|HOME|SHELL|TMPDIR|TMP|TEMP|USER|LOGNAME|PS[0-4]|PROMPT_COMMAND|FPATH|EXECIGNORE|" +
    "GLOBIGNORE|FIGNORE|HISTFILE|SHELLOPTS|BASHOPTS|BASH.*|POSIXLY_CORRECT|OPTIND|" +
    "LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|TEXTDOMAIN.*|OUTPUT_CHARSET|TERMINFO.*|TERM|TERMCAP|XDG_.*|" +
    ".*PAGER|PAGER.*|.*EDITOR|VISUAL|BROWSER|LESS.*|LV|MORE|MAN.*|" +
    "GIT_.*|GIT[A-Z]*|SSH_.*|GPG_.*|GNUPGHOME|RSYNC_.*|CVS_.*|SVN_.*|HG.*|" +
    "NODE_.*|NPM_.*|npm_.*|YARN_.*|PNPM_.*|BUN_.*|DENO_.*|COREPACK_.*|NVM_.*|VOLTA_.*|TS_NODE_.*|ESLINT_.*|" +
    "PYTHON.*|PIP_.*|UV_.*|PYTEST_.*|VIRTUAL_ENV|CONDA_.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|RAKE.*|" +
    "JAVA.*|_JAVA.*|JDK_.*|CLASSPATH|MAVEN_.*|GRADLE_.*|SBT_.*|KOTLIN_.*|" +
    "CARGO.*|RUST.*|GO[A-Z0-9_]*|CGO_.*|CC|CXX|CPP|LD|AR|AS|NM|RANLIB|STRIP|OBJCOPY|FC|F77|" +
    "C[A-Z_]*FLAGS|CXX_?FLAGS|LDFLAGS|LDLIBS|MAKE.*|GNUMAKEFLAGS|CMAKE_.*|NINJA_.*|CCACHE_.*|DISTCC_.*|" +
    "PKG_CONFIG.*|CPATH|C_INCLUDE_PATH|CPLUS_INCLUDE_PATH|LIBRARY_PATH|COMPILER_PATH|GCC_.*|" +
    "AWKPATH|AWKLIBPATH|RIPGREP_.*|GREP_.*|FZF_.*|FD_.*|BAT_.*|JQ_.*|TAR_OPTIONS|GZIP|BZIP2?|XZ_.*|ZSTD_.*|" +
    "DOCKER_.*|KUBECONFIG|HELM_.*|AWS_.*|TF_.*|PSQLRC|PG.*|MYSQL_.*|SQLITE_.*|OPENSSL_.*|CURL_HOME|WGETRC|" +
    "LUA_.*|LUA|R_.*|JULIA_.*|ERL_.*|ELIXIR_.*|PHP.*|COMPOSER_.*|DOTNET_.*|COMPlus_.*|CORECLR_.*|MSBUILD.*|" +
    ".*_?(PROXY|proxy)|SSL_.*|.*_COMMAND|.*_OPTIONS|.*_OPTS|.*_PRELOAD|.*_ASKPASS|ZDOTDIR|INPUTRC|" +
    "DBUS_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY)$",
);

/**
 * Judges the setting of `name`; `value` is its exact text, undefined when not certain. A locale that is not
 * one of the usual ones could change how bash splits the rest of the line into characters.
 */
export function variableKind(name: string, value: string | undefined): VariableKind {
  if (LOCALE.test(name)) return value !== undefined && LOCALE_VALUE.test(value) ? "plain" : "door";
  if (PLAIN.has(name)) return "plain";
  if (DOORS.test(name)) return "door";
  return /^[a-z][a-z0-9_]*$/.test(name) ? "own" : "other";
}
