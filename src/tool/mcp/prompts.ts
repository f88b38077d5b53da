import { AgentError } from "../../errors.ts";
import { commandName } from "./names.ts";
import { blockText, MAX_RESULT } from "./result.ts";
import type { McpServer } from "./server.ts";
import { plainLineOf, resultText, shortHash } from "./text.ts";

/** Prompts of all servers that are offered. */
const MAX_PROMPTS = 100;
const MAX_DESCRIPTION = 300;

/** A prompt of a server as a command: what is typed behind the name becomes its first arguments. */
export interface McpPrompt {
  readonly name: string;
  readonly description: string;
  readonly hint?: string | undefined;
  /** @throws AgentError for arguments that are missing, or a server that refuses. */
  text(args: string): Promise<string>;
}

/** The prompts of all servers, under names of their own. */
export function promptsOf(servers: readonly McpServer[]): McpPrompt[] {
  const taken = new Set<string>();
  return servers.flatMap((server) =>
    server.offered.prompts.map((prompt): McpPrompt => {
      const wanted = commandName(server.spec.name, prompt.name);
      const name = taken.has(wanted)
        ? `${wanted}_${shortHash(`${server.spec.name}/${prompt.name}`)}`
        : wanted;
      taken.add(name);
      const names = (prompt.arguments ?? []).map((argument) => argument.name);
      const hints = (prompt.arguments ?? []).map((a) => {
        const word = plainLineOf(a.name, 40);
        return a.required ? `<${word}>` : `[${word}]`;
      });
      const about = `(${server.spec.name}) ${prompt.description ?? prompt.name}`;
      return {
        name,
        description: server.redact(plainLineOf(about, MAX_DESCRIPTION)),
        hint: hints.length === 0 ? undefined : hints.join(" "),
        text: (args) => textOf(server, prompt, valuesOf(args, names)),
      };
    })
  ).slice(0, MAX_PROMPTS);
}

/** A word for each argument; the last one takes all that is left. */
function valuesOf(args: string, names: readonly string[]): Record<string, string> {
  const values: [string, string][] = [];
  let rest = args.trim();
  for (const [i, name] of names.entries()) {
    if (rest === "") break;
    const word = i === names.length - 1 ? rest : /^\S+/.exec(rest)![0];
    values.push([name, word]);
    rest = rest.slice(word.length).trim();
  }
  return Object.fromEntries(values);
}

async function textOf(
  server: McpServer,
  prompt: McpServer["offered"]["prompts"][number],
  values: Record<string, string>,
): Promise<string> {
  const missing = (prompt.arguments ?? []).filter((a) => a.required && !Object.hasOwn(values, a.name));
  if (missing.length > 0) {
    const names = missing.map((a) => plainLineOf(a.name, 40)).join(", ");
    throw new AgentError("invalid-params", `The prompt needs: ${names}. Type it behind the command's name.`);
  }
  try {
    const { messages } = await server.getPrompt(prompt.name, values);
    const texts = messages.map(({ role, content }) =>
      role === "user" ? blockText(content) : `(${role}) ${blockText(content)}`
    );
    return resultText(server.redact(texts.join("\n\n")), MAX_RESULT);
  } catch (e) {
    throw new AgentError("internal", e instanceof Error ? e.message : String(e), { cause: e });
  }
}
