import type {
  ArithmeticExpression,
  DoubleQuotedChild,
  ParameterExpansionPart,
  Script,
  Word,
  WordPart,
} from "unbash";

/** One word of a command, as far as its text tells what bash will make of it. */
export interface ShellWord {
  /** As written. */
  readonly source: string;
  /** The exact word that the program gets; undefined when only running the line would tell. */
  readonly text: string | undefined;
  /** What the word certainly begins with: the whole of it when `text` is known, often nothing when not. */
  readonly start: string;
  /** May turn into no word or into several (globs, braces, unquoted expansions). */
  readonly splits: boolean;
}

/** Takes what a word holds beside its value. */
export interface WordFinds {
  /** A script that runs to make the word. */
  script(script: Script, kind: "$()" | "<()"): void;
  /** Why the word cannot be read for certain. */
  fault(reason: string): void;
}

/** A word whose text is certain. */
export function literalWord(text: string): ShellWord {
  return { source: text, text, start: text, splits: false };
}

/** A word that nothing is known of. */
export function unknownWord(source: string, splits: boolean): ShellWord {
  return { source, text: undefined, start: "", splits };
}

/** Reads one word; scripts and faults inside it go to `finds`. */
export function readWord(word: Word, finds: WordFinds): ShellWord {
  const tilde = /^~|[=:]~/.test(word.text);
  if (!word.parts) {
    return tilde
      ? unknownTilde(word)
      : { source: word.text, text: word.value, start: word.value, splits: false };
  }
  const value = new Value();
  for (const part of word.parts) readPart(part, false, value, finds);
  if (tilde) return { ...unknownTilde(word), splits: value.splits };
  const text = value.certain ? value.start : undefined;
  return { source: word.text, text, start: value.start, splits: value.splits };
}

/** Visits the parts of a here-document's body: expansions run in it, but it makes no word. */
export function readBody(parts: readonly WordPart[], finds: WordFinds): void {
  const value = new Value();
  for (const part of parts) readPart(part, true, value, finds);
}

/** The user's own home directory is absolute; other tildes may stay as they are. */
function unknownTilde(word: Word): ShellWord {
  return { source: word.text, text: undefined, start: /^~(\/|$)/.test(word.text) ? "/" : "", splits: false };
}

/** What is known of a word while its parts are read from left to right. */
class Value {
  start = "";
  certain = true;
  splits = false;

  add(text: string): void {
    if (this.certain) this.start += text;
  }

  unknown(splits: boolean): void {
    this.certain = false;
    if (splits) this.splits = true;
  }
}

function readPart(part: WordPart | DoubleQuotedChild, quoted: boolean, value: Value, finds: WordFinds): void {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return value.add(part.value);
    case "AnsiCQuoted":
      // Bytes and code points beyond ASCII depend on the locale, and a NUL ends the string.
      return /^[\t\n\x20-\x7e]*$/.test(part.value) ? value.add(part.value) : value.unknown(false);
    case "DoubleQuoted":
      for (const child of part.parts) readPart(child, true, value, finds);
      return;
    case "LocaleString":
      finds.fault('it holds a translated string ($"…")');
      for (const child of part.parts) readPart(child, true, value, finds);
      return value.unknown(false);
    case "SimpleExpansion":
      return value.unknown(!quoted || part.text.includes("@"));
    case "ParameterExpansion":
      readParameter(part, finds);
      return value.unknown(!quoted || part.text.includes("@"));
    case "CommandExpansion":
      readScript(part.script, "$()", finds);
      return value.unknown(!quoted);
    case "ArithmeticExpansion":
      readArithmetic(part.expression, finds);
      return value.unknown(!quoted);
    case "ProcessSubstitution":
      readScript(part.script, "<()", finds);
      value.add("/dev/fd/");
      return value.unknown(false);
    case "ExtendedGlob":
      finds.fault("it holds an extended glob, which bash reads in two ways");
      return value.unknown(true);
    case "Glob":
    case "BraceExpansion":
      for (const child of part.parts ?? []) readPart(child, quoted, new Value(), finds);
      return value.unknown(true);
    default:
      finds.fault("it holds a kind of expansion that is not known here");
      return value.unknown(true);
  }
}

function readScript(script: Script | undefined, kind: "$()" | "<()", finds: WordFinds): void {
  if (script) finds.script(script, kind);
  else finds.fault("a command inside it cannot be read");
}

/**
 * Some expansions run what a variable holds: `@P` as a prompt, `!` through another name, a subscript or an
 * offset as arithmetic (`a[$(id)]`); others set variables.
 */
function readParameter(part: ParameterExpansionPart, finds: WordFinds): void {
  const { operation, index } = part;
  if (part.prefix === "!") finds.fault("it reads a variable through the name in another one (${!…})");
  if (index && !/^([@*]|\d+)$/.test(index.text)) {
    finds.fault("a subscript in it is computed, which can run commands");
  }
  const inner: (Word | undefined)[] = [index];
  switch (operation?.type) {
    case undefined:
      break;
    case "Default":
      if (operation.operator.endsWith("=")) finds.fault("it sets a variable on the way (${…=…})");
      inner.push(operation.operand);
      break;
    case "Remove":
    case "CaseModification":
      inner.push(operation.operand);
      break;
    case "Replace":
      inner.push(operation.pattern, operation.replacement);
      break;
    case "Slice":
      for (const bound of [operation.offset, operation.length]) {
        if (bound && !/^\s*-?\d+\s*$/.test(bound.text)) {
          finds.fault("an offset in it is computed, which can run commands");
        }
        inner.push(bound);
      }
      break;
    default:
      finds.fault("it transforms a variable in a way that can run commands (${…@…})");
  }
  for (const word of inner) if (word) readWord(word, finds);
}

/** Names in arithmetic are computed again and again, subscripts with commands included: numbers only. */
export function readArithmetic(expression: ArithmeticExpression | undefined, finds: WordFinds): void {
  switch (expression?.type) {
    case "ArithmeticBinary":
      readArithmetic(expression.left, finds);
      return readArithmetic(expression.right, finds);
    case "ArithmeticUnary":
      return readArithmetic(expression.operand, finds);
    case "ArithmeticTernary":
      readArithmetic(expression.test, finds);
      readArithmetic(expression.consequent, finds);
      return readArithmetic(expression.alternate, finds);
    case "ArithmeticGroup":
      return readArithmetic(expression.expression, finds);
    case "ArithmeticWord":
      for (const part of expression.parts ?? []) readPart(part, true, new Value(), finds);
      if (/^(\d+|0x[0-9a-f]+)$/i.test(expression.value)) return;
      break;
    case "ArithmeticCommandExpansion":
      readScript(expression.script, "$()", finds);
      break;
    case undefined:
      break;
  }
  finds.fault("it computes with variables, which can run commands");
}
