import type {
  Command,
  CommandArgument,
  CompoundList,
  PipelineNode,
  Redirection,
  Script,
  Statement,
  Word,
  WordPart,
} from "unbash";

/** What dax's shell does by itself. */
const BUILT_IN = new Set([
  ...["cd", "printenv", "echo", "cat", "exit", "export", "sleep", "test", "rm", "mkdir", "cp", "mv"],
  ...["pwd", "touch", "true", "false", ":", "unset", "which"],
]);

/** Bash's own commands that are no programs, and that dax has not. */
const MISSING = new Set([
  ...[
    "set",
    "[[",
    "shopt",
    "exec",
    "eval",
    "source",
    ".",
    "read",
    "trap",
    "alias",
    "unalias",
    "local",
    "declare",
  ],
  ...["typeset", "readonly", "let", "shift", "return", "break", "continue", "command", "builtin", "type"],
  ...["hash", "wait", "jobs", "fg", "bg", "disown", "getopts", "mapfile", "readarray", "pushd", "popd"],
  ...["dirs", "ulimit", "umask", "times", "history", "complete", "compgen", "enable", "caller", "suspend"],
]);

/** A command line for dax: the programs that it starts by name, or why it cannot be run. */
export type DaxCommand =
  | {
    readonly programs: readonly string[];
    /** What the shell's own commands would touch; undefined where only running them would tell. */
    readonly touched: readonly TouchedPath[] | undefined;
  }
  | { readonly refusal: string };

/** A path as the command has it, relative to where it runs. */
export interface TouchedPath {
  readonly path: string;
  /** `enter`: it is gone into, and later paths may start there. */
  readonly use: "read" | "write" | "enter";
}

/** The shell's own commands that look at files, and those that change them. */
const READS = new Set(["cat", "test"]);
const WRITES = new Set(["rm", "mkdir", "cp", "mv", "touch"]);

/**
 * Reads a command line for dax's shell. It is an allow-list of what that shell was seen to do as bash does; all
 * else is refused by name, since what it does not know it mostly takes for something else.
 */
export async function readForDax(command: string): Promise<DaxCommand> {
  const { parse } = await import("unbash");
  const reader = new Reader();
  try {
    const script = parse(command);
    if (script.errors && script.errors.length > 0) {
      throw new Unsupported("a command that bash could not read");
    }
    if (script.commands.length === 0) throw new Unsupported("a command line without a command");
    reader.script(script);
    return { programs: [...reader.programs], touched: reader.touched };
  } catch (thrown) {
    if (thrown instanceof Unsupported) return { refusal: thrown.message };
    throw thrown;
  }
}

/** Its message names what the shell lacks. */
class Unsupported extends Error {}

/** What stands for what in the syntax tree, in words. */
const NAMES: Readonly<Record<string, string>> = {
  If: "if",
  For: "for loops",
  ArithmeticFor: "for loops",
  While: "while and until loops",
  Case: "case",
  Select: "select",
  Function: "functions",
  BraceGroup: "{ groups }",
  TestCommand: "[[ tests ]]",
  ArithmeticCommand: "(( arithmetic ))",
  Coproc: "coprocesses",
  Redirected: "redirections of groups",
  HereDoc: "here-documents",
  HereString: "here-strings",
  ArithmeticExpansion: "$(( arithmetic ))",
  ParameterExpansion: "${…} (write $NAME)",
  ProcessSubstitution: "process substitution",
  ExtendedGlob: "extended patterns",
  BraceExpansion: "brace expansion",
  Glob: "file patterns",
  AnsiCQuoted: "$'…'",
  LocaleString: '$"…"',
};

function unsupported(what: string): never {
  throw new Unsupported(NAMES[what] ?? what);
}

class Reader {
  readonly programs = new Set<string>();
  touched: TouchedPath[] | undefined = [];

  script(list: Script | CompoundList): void {
    for (const statement of list.commands) {
      if (statement.type !== "Statement") unsupported(statement.type);
      if (statement.background) unsupported("& (use background: true)");
      this.#node(statement.command);
    }
  }

  #node(node: Statement["command"]): void {
    switch (node.type) {
      case "AndOr":
        return node.commands.forEach((command: PipelineNode) => this.#node(command));
      case "Pipeline":
        if (node.operators.some((operator) => operator !== "|")) unsupported("|& (write 2>&1 |)");
        if (node.prefixes.some((prefix) => prefix.type !== "Negation")) unsupported("time");
        return node.commands.forEach((command) => this.#node(command));
      case "Subshell":
        return this.script(node.body);
      case "Command":
        return this.#command(node);
      default:
        return unsupported(node.type);
    }
  }

  #command(command: Command): void {
    const { name, prefix, args, redirects } = command;
    if (redirects.length > 1) unsupported("several redirections of one command");
    redirects.forEach((redirection) => this.#redirection(redirection));
    for (const part of prefix) {
      if (part.type !== "Assignment") unsupported("a redirection before its command");
      this.#assignment(part);
    }
    if (name === undefined) {
      return prefix.length > 1 ? unsupported("several assignments without a command") : undefined;
    }
    if (name.text === "[") unsupported("[ … ] (test has -f, -d, -e, -s and -L)");
    args.forEach((argument) => this.#argument(argument));
    if (prefix.length > 0 && args.some((argument) => argument.text.includes("$"))) {
      unsupported("variables in a command with assignments of its own");
    }
    this.#word(name);
    this.#program(literalOf(name), args);
  }

  #program(name: string | undefined, args: readonly CommandArgument[]): void {
    if (name === undefined) unsupported("a program whose name is computed");
    if (MISSING.has(name)) unsupported(name);
    if (!BUILT_IN.has(name)) return void this.programs.add(name);
    checkBuiltIn(name, args);
    const use = name === "cd" ? "enter" : READS.has(name) ? "read" : WRITES.has(name) ? "write" : undefined;
    if (use === undefined) return;
    for (const argument of args) {
      if (argument.type === "Assignment") this.touched = undefined;
      else if (!argument.text.startsWith("-")) this.#touch(argument, use);
    }
  }

  #touch(word: Word, use: TouchedPath["use"]): void {
    const path = literalOf(word);
    if (path === undefined) this.touched = undefined;
    else this.touched?.push({ path, use });
  }

  #argument(argument: CommandArgument): void {
    if (argument.type === "Assignment") this.#assignment(argument);
    else this.#word(argument);
  }

  #assignment(assignment: Extract<CommandArgument, { type: "Assignment" }>): void {
    if (assignment.value.type !== "Word" || assignment.index) unsupported("arrays");
    if (assignment.append) unsupported("+=");
    if (/[*?[]/.test(assignment.value.text)) unsupported("values with file patterns");
    this.#word(assignment.value);
  }

  #redirection(redirection: Redirection): void {
    if (redirection.type !== "Redirect") unsupported(redirection.type);
    const { operator, descriptor, target } = redirection;
    if (![">", ">>", "<", ">&", "&>"].includes(operator)) unsupported(`the redirection ${operator}`);
    if (descriptor && (descriptor.type !== "FileDescriptor" || descriptor.value > 2)) {
      unsupported("descriptors beyond 2");
    }
    if (!target) unsupported("a redirection to nowhere");
    if (operator === ">&" && !/^[12]$/.test(target.text)) unsupported(`the redirection >&${target.text}`);
    this.#word(target);
    if (operator !== ">&") this.#touch(target, operator === "<" ? "read" : "write");
  }

  #word(word: Word): void {
    if (word.parts === undefined) return checkUnquoted(word.text);
    for (const part of word.parts) this.#part(part);
  }

  #part(part: WordPart): void {
    switch (part.type) {
      case "Literal":
        return checkUnquoted(part.text);
      case "SingleQuoted":
        return part.value.startsWith("~") ? unsupported("~ inside of quotes") : undefined;
      case "DoubleQuoted":
        return part.parts.forEach((inner) =>
          inner.type === "Literal"
            ? checkQuoted(inner.text)
            : unsupported("variables and $(…) inside of quotes")
        );
      case "SimpleExpansion":
        return /^\$[A-Za-z_]\w*$/.test(part.text) ? undefined : unsupported(part.text);
      case "CommandExpansion":
        return part.script
          ? this.script(part.script)
          : unsupported("a command substitution that cannot be read");
      default:
        return unsupported(part.type);
    }
  }
}

function checkUnquoted(text: string): void {
  if (text.includes("\\")) unsupported("\\ outside of quotes");
  if (/[*?[\]{}]/.test(text)) unsupported("file patterns");
  if (/^~[^/]/.test(text)) unsupported("~user");
}

/** Inside of quotes dax keeps most backslashes, and expands a ~ that it should not. */
function checkQuoted(text: string): void {
  if (/\\[^"$]|\\$/.test(text)) unsupported("\\ inside of double quotes");
  if (text.startsWith("~")) unsupported("~ inside of quotes");
}

/** The word's text where it is the same whatever the variables hold. */
function literalOf(word: Word): string | undefined {
  const fixed = (part: WordPart): boolean =>
    part.type === "Literal" || part.type === "SingleQuoted" ||
    part.type === "DoubleQuoted" && part.parts.every((inner) => inner.type === "Literal");
  return word.parts === undefined || word.parts.every(fixed) ? word.value : undefined;
}

/** Where dax's own commands do something else than those of a system. */
function checkBuiltIn(name: string, args: readonly CommandArgument[]): void {
  const texts = args.map((argument) => argument.type === "Assignment" ? argument.text : argument.value);
  const [first = ""] = texts;
  if (name === "echo" && /^-[neE]+$/.test(first)) unsupported(`echo ${first} (use printf)`);
  if (name === "touch" && !texts.every((text) => /^[\w.][\w./-]*$/.test(text))) {
    unsupported("touch with options or a path that is not relative");
  }
  if (name === "test" && !(texts.length === 2 && /^-[fdesL]$/.test(first))) {
    unsupported("this form of test (-f, -d, -e, -s and -L are there)");
  }
  if (name === "exit" && !/^\d+$/.test(first)) unsupported("exit without a number");
  if (name === "cd" && (first === "" || first === "-")) unsupported("cd without a directory");
  if (name === "which" && texts.length !== 1) unsupported("which with several names");
}
