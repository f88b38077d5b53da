import type { Redirection as RedirectionNode } from "unbash";
import type { Redirection } from "./simple_command.ts";
import { readBody, readWord, type ShellWord, type WordFinds } from "./shell_word.ts";

/** Reads one redirection; what runs inside it goes to `finds`. */
export function readRedirection(node: RedirectionNode, finds: WordFinds): Redirection {
  if (node.type === "HereDoc") {
    if (!node.closing || !node.delimiter) finds.fault("a here-document in it has no end");
    if (node.body.parts) readBody(node.body.parts, finds);
    return { source: `${node.operator}${node.delimiter?.text ?? ""}`, kind: "input" };
  }
  const target = node.target ? readWord(node.target, finds) : undefined;
  if (!target) finds.fault("a redirection in it leads nowhere");
  const named = node.descriptor?.type === "FileDescriptorVariable";
  const number = node.descriptor?.type === "FileDescriptor" ? String(node.descriptor.value) : "";
  const source = `${number}${node.operator} ${target?.source ?? ""}`;
  if (named || !target) return { source, kind: "write" };
  return { source, kind: node.type === "HereString" ? "input" : kindOf(node.operator, target) };
}

function kindOf(operator: string, target: ShellWord): Redirection["kind"] {
  switch (operator) {
    case "<":
      if (target.text === "/dev/null") return "quiet";
      return isReadable(target) ? "input" : "write";
    case ">&":
    case "<&":
      return /^(\d|-|\d-)$/.test(target.text ?? "") ? "quiet" : "write";
    case ">":
    case ">>":
    case ">|":
    case "&>":
    case "&>>":
      return target.text === "/dev/null" ? "quiet" : "write";
    default:
      return "write";
  }
}

/** Bash itself connects to the network for `/dev/tcp/…`, so a path that may lead there is no plain reading. */
function isReadable(target: ShellWord): boolean {
  if (target.text !== undefined) return !/^\/+dev\b/.test(target.text);
  return target.start === "/dev/fd/" || /^[^/]/.test(target.start);
}
