import {
  type Assignment as AssignmentNode,
  type Command,
  type CommandNode,
  type CompoundCommand,
  type CompoundList,
  parse,
  type PipelineNode,
  type Redirection as RedirectionNode,
  type Script,
  type Statement,
  type TestExpression,
  type Word,
} from "unbash";
import { builtinFault } from "./builtins.ts";
import type {
  Assignment,
  CommandLine,
  Place,
  Redirection,
  SimpleCommand,
  Wrapping,
} from "./simple_command.ts";
import { assignmentFault, isOwnName } from "./assignments.ts";
import { readRedirection } from "./redirections.ts";
import { readArithmetic, readWord, type ShellWord, type WordFinds } from "./shell_word.ts";
import { type Inner, seeThrough } from "./wrappers.ts";

/** Shells in shells in shells: nobody writes more by hand. */
const MAX_NESTING = 6;
/** A line of more commands is nothing that a person could judge. */
const MAX_COMMANDS = 200;

/** {@linkcode readCommandLine} for a text whose characters were checked. */
export function readScriptText(text: string): CommandLine {
  const reader = new Reader();
  const commands = reader.text(text, { places: [], fed: false });
  return { text, commands, ...(reader.reason !== undefined ? { unreadable: reader.reason } : {}) };
}

/** What a command inherits from what stands around it. */
interface Around {
  readonly places: readonly Place[];
  readonly fed: boolean;
}

/** Walks a syntax tree, gathers the commands, and keeps the first reason why something is not certain. */
class Reader {
  reason: string | undefined;
  #nesting = 0;
  #count = 0;

  /** Reads a script given as text; the caller's nesting bounds the depth. */
  text(text: string, around: Around): SimpleCommand[] {
    if (this.#nesting >= MAX_NESTING) {
      this.#fault("shells are nested too deeply");
      return [];
    }
    this.#nesting++;
    const found: SimpleCommand[] = [];
    this.#script(parse(text), around, found);
    this.#nesting--;
    return found;
  }

  #fault(reason: string): void {
    this.reason ??= reason;
  }

  #finds(around: Around, found: SimpleCommand[]): WordFinds {
    return {
      script: (script, kind) => this.#script(script, within(around, kind), found),
      fault: (reason) => this.#fault(reason),
    };
  }

  #script(script: Script, around: Around, found: SimpleCommand[]): void {
    const { errors } = script as { errors?: readonly { message: string }[] };
    if (errors?.[0]) this.#fault(`bash's grammar does not fit (${errors[0].message})`);
    this.#statements(script.commands, around, found);
  }

  #list(list: CompoundList, around: Around, found: SimpleCommand[]): void {
    this.#statements(list.commands, around, found);
  }

  #statements(statements: readonly Statement[], around: Around, found: SimpleCommand[]): void {
    for (const { command, background } of statements) {
      const outer = background ? within(around, "background") : around;
      if (command.type !== "AndOr") this.#pipeline(command, outer, found);
      else for (const part of command.commands) this.#pipeline(part, within(outer, "and-or"), found);
    }
  }

  #pipeline(node: PipelineNode, around: Around, found: SimpleCommand[]): void {
    if (node.type !== "Pipeline") return this.#command(node, around, found);
    if (node.commands.length === 1) return this.#command(node.commands[0]!, around, found);
    node.commands.forEach((command, i) => {
      this.#command(command, within(around, "pipe", i > 0), found);
    });
  }

  #command(node: CommandNode, around: Around, found: SimpleCommand[]): void {
    switch (node.type) {
      case "Command":
        return this.#simple(node, around, found);
      case "Redirected":
        return this.#redirected(node.command, node.redirects, around, found);
      case "Function":
        // Whoever calls it, and with what input, is not known here.
        if (node.body.type === "CompoundList") this.#list(node.body, within(around, "function", true), found);
        else this.#command(node.body, within(around, "function", true), found);
        return;
      case "Coproc":
        if (node.body.type === "CompoundList") this.#list(node.body, within(around, "coproc", true), found);
        else this.#command(node.body, within(around, "coproc", true), found);
        return;
      default:
        return this.#compound(node, around, found);
    }
  }

  /** A redirection around a compound command is told as a command of its own, without words. */
  #redirected(
    command: CompoundCommand,
    redirects: readonly RedirectionNode[],
    around: Around,
    found: SimpleCommand[],
  ): void {
    const redirections = this.#redirections(redirects, around, found);
    const source = redirections.map((r) => r.source).join(" ");
    this.#push(found, {
      source,
      assignments: [],
      words: [],
      redirections,
      places: around.places,
      fed: false,
    });
    this.#compound(command, { ...around, fed: around.fed || feeds(redirections) }, found);
  }

  #compound(node: CompoundCommand, around: Around, found: SimpleCommand[]): void {
    const finds = this.#finds(around, found);
    switch (node.type) {
      case "Subshell":
        return this.#list(node.body, within(around, "subshell"), found);
      case "BraceGroup":
        return this.#list(node.body, within(around, "group"), found);
      case "If": {
        const inside = within(around, "if");
        for (const branch of [node, ...node.elif]) {
          this.#list(branch.clause, inside, found);
          this.#list(branch.then, inside, found);
        }
        if (node.else) this.#list(node.else, inside, found);
        return;
      }
      case "While":
        this.#list(node.clause, within(around, "loop"), found);
        return this.#list(node.body, within(around, "loop"), found);
      case "Select":
      case "For":
        if (!isOwnName(node.name.value)) this.#fault(`it sets ${node.name.value}, which programs may read`);
        for (const word of node.wordlist ?? []) readWord(word, finds);
        return this.#list(node.body, within(around, "loop"), found);
      case "ArithmeticFor":
        for (const part of [node.initialize, node.test, node.update]) readArithmetic(part, finds);
        return this.#list(node.body, within(around, "loop"), found);
      case "Case":
        readWord(node.word, finds);
        for (const item of node.items) {
          for (const pattern of item.pattern) readWord(pattern, finds);
          this.#list(item.body, within(around, "case"), found);
        }
        return;
      case "TestCommand":
        return this.#test(node.expression, finds);
      case "ArithmeticCommand":
        return readArithmetic(node.expression, finds);
    }
  }

  /** `[[ … ]]`: `-v` and the comparing of numbers compute subscripts, which can run commands. */
  #test(node: TestExpression, finds: WordFinds): void {
    switch (node.type) {
      case "TestLogical":
        for (const operand of node.operands) this.#test(operand, finds);
        return;
      case "TestNot":
        return this.#test(node.operand, finds);
      case "TestGroup":
        return this.#test(node.expression, finds);
      case "TestUnary": {
        const { text } = readWord(node.operand, finds);
        if (/^-[vR]$/.test(node.operator) && !isOwnName(text)) {
          this.#fault("`[[ -v …]]` with a computed name can run commands");
        }
        return;
      }
      case "TestBinary": {
        const sides = [readWord(node.left, finds), readWord(node.right, finds)];
        const numeric = /^-(eq|ne|lt|le|gt|ge)$/.test(node.operator);
        if (numeric && !sides.every((s) => /^\d+$/.test(s.text ?? ""))) {
          this.#fault("`[[ … -eq … ]]` computes its sides, which can run commands");
        }
        return;
      }
    }
  }

  #simple(node: Command, around: Around, found: SimpleCommand[]): void {
    const finds = this.#finds(around, found);
    const assignments: Assignment[] = [];
    const redirects: RedirectionNode[] = [];
    const words: ShellWord[] = node.name ? [readWord(node.name, finds)] : [];
    for (const part of [...node.prefix, ...node.suffix]) {
      if (part.type === "Word") words.push(readWord(part, finds));
      else if (part.type !== "Assignment") redirects.push(part);
      else if (node.prefix.includes(part)) assignments.push(this.#assignment(part, finds));
      else words.push(this.#declared(part, finds));
    }
    const redirections = this.#redirections(redirects, around, found);
    const source = [
      ...assignments.map((a) => a.source),
      ...words.map((w) => w.source),
      ...redirections.map((r) => r.source),
    ].join(" ");
    this.#run({ source, assignments, words, redirections, ...around }, found);
  }

  /** Judges a command whose words are known, and looks through it. */
  #run(command: SimpleCommand, found: SimpleCommand[]): void {
    const { words, redirections, places } = command;
    const fed = command.fed || feeds(redirections);
    for (const { name, value } of command.assignments) {
      const fault = assignmentFault(name, value);
      if (fault !== undefined) this.#fault(fault);
    }
    const [program] = words;
    if (program && (program.text ?? "") === "") this.#fault("which program it runs is not certain");
    const fault = builtinFault(words, redirections);
    if (fault !== undefined) this.#fault(fault);
    const seen = seeThrough(words);
    if (seen.kind === "fault") this.#fault(seen.reason);
    let wraps: Wrapping | undefined;
    if (seen.kind === "wraps") {
      const commands = seen.inner.flatMap((inner) => this.#inner(inner, { places, fed }));
      wraps = { transparent: seen.transparent, commands };
    }
    this.#push(found, { ...command, fed, ...(wraps ? { wraps } : {}) });
  }

  #inner(inner: Inner, around: Around): SimpleCommand[] {
    if ("script" in inner) {
      if (inner.dialect === "sh" && differsInSh(inner.script)) {
        this.#fault("other shells than bash read a part of it differently (`sh -c`)");
      }
      return this.text(inner.script, within(around, "shell -c"));
    }
    if (this.#nesting >= MAX_NESTING) {
      this.#fault("commands are wrapped too deeply");
      return [];
    }
    this.#nesting++;
    const found: SimpleCommand[] = [];
    const assignments = (inner.assignments ?? []).map(assignmentOf);
    const source = [...assignments, ...inner.words].map((part) => part.source).join(" ");
    this.#run({ source, assignments, words: inner.words, redirections: [], ...around }, found);
    this.#nesting--;
    return found;
  }

  #assignment(node: AssignmentNode, finds: WordFinds): Assignment {
    if (node.index && !/^\d+$/.test(node.index.text)) {
      this.#fault("a subscript in it is computed, which can run commands");
    }
    if (node.index) readWord(node.index, finds);
    return { name: node.name, value: this.#value(node.value, finds), source: node.text };
  }

  #value(value: AssignmentNode["value"], finds: WordFinds): string | undefined {
    if (value.type === "Word") return readWord(value, finds).text;
    for (const element of value.elements) {
      if (element.text.startsWith("[")) this.#fault("an array in it has computed subscripts");
      readWord(element as Word, finds);
    }
    return undefined;
  }

  /** `export A=b`: an argument that is an assignment. */
  #declared(node: AssignmentNode, finds: WordFinds): ShellWord {
    const { value } = this.#assignment(node, finds);
    const fault = assignmentFault(node.name, value);
    if (fault !== undefined) this.#fault(fault);
    const start = `${node.name}=`;
    const text = value === undefined || node.append || node.index ? undefined : start + value;
    return { source: node.text, text, start, splits: false };
  }

  #redirections(nodes: readonly RedirectionNode[], around: Around, found: SimpleCommand[]): Redirection[] {
    return nodes.map((node) => readRedirection(node, this.#finds(around, found)));
  }

  #push(found: SimpleCommand[], command: SimpleCommand): void {
    if (++this.#count > MAX_COMMANDS) return this.#fault("it runs too many commands");
    found.push(command);
  }
}

function within(around: Around, place: Place, fed = false): Around {
  return { places: [...around.places, place], fed: around.fed || fed };
}

function feeds(redirections: readonly Redirection[]): boolean {
  return redirections.some((r) => r.kind === "input");
}

function assignmentOf(text: string): Assignment {
  const at = text.indexOf("=");
  return { name: text.slice(0, at), value: text.slice(at + 1), source: text };
}

/** What bash knows and a POSIX shell reads as something else, quotes above all. */
function differsInSh(script: string): boolean {
  return /\$['"[]|&>|\|&|[<>]\(|<<<|>&\s*[^\d\s-]|\(\(|\[\[|;&|[{}]|[?*+@!]\(|=\(|\+=|\b(select|function|coproc|time|source)\b/
    .test(script);
}
