/**
 * The layer rules of ARCHITECTURE.md as a lint plugin: a room imports only from the rooms left of it, and
 * only the rooms listed below may touch the SDK, processes, the environment or the network.
 */

/** From the ground up; a room may import from itself and from every room before it. */
const ROOMS = [
  ["errors", "log", "config"],
  ["model"],
  ["sandbox"],
  ["bash"],
  ["permission"],
  ["tool"],
  ["session"],
  ["presentation"],
  ["acp"],
  ["cli", "commands", "mod"],
];

/** Who may use what; a pattern is matched against the file's path from the root. */
const OWNERS: { uses: RegExp; what: string; allowed: RegExp }[] = [
  {
    what: "the ACP SDK",
    uses: /^@agentclientprotocol\/sdk/,
    allowed: /^(mod\.ts|src\/(acp|presentation|commands)\/)/,
  },
  {
    what: "the network",
    uses: /^node:(https?|http2|net|tls|dns|dgram)$/,
    allowed: /^src\/model\/|^src\/tool\/(fetch|mcp)/,
  },
];
const GLOBAL_OWNERS: { object: string; property?: string; what: string; allowed: RegExp }[] = [
  {
    object: "Deno",
    property: "Command",
    what: "Deno.Command",
    allowed: /^src\/(bash|sandbox)\/|^src\/tool\/mcp/,
  },
  { object: "Deno", property: "env", what: "Deno.env", allowed: /^src\/config\// },
  { object: "fetch", what: "fetch()", allowed: /^src\/model\/|^src\/tool\/(fetch|mcp)/ },
];

/** The path from the repository's root, or undefined for a file that no rule speaks of. */
function fromRoot(filename: string): string | undefined {
  const path = filename.replaceAll("\\", "/");
  const at = path.lastIndexOf("/src/");
  if (at >= 0 && !path.includes("/tests/")) return path.slice(at + 1);
  return path.endsWith("/mod.ts") && !path.includes("/fixtures/") ? "mod.ts" : undefined;
}

/** The room of a path such as `src/bash/host.ts` (bash), `src/cli.ts` (cli) or `mod.ts` (mod). */
function roomOf(path: string): string {
  return path.replace(/^src\//, "").split("/")[0]!.replace(/\.ts$/, "");
}

function levelOf(room: string): number {
  return ROOMS.findIndex((rooms) => rooms.includes(room));
}

/** Why `file` must not import `specifier`, or undefined. Exported for its test. */
export function importFault(file: string, specifier: string): string | undefined {
  const owner = OWNERS.find((o) => o.uses.test(specifier));
  if (owner && !owner.allowed.test(file)) return `${owner.what} is not for ${file}`;
  if (!specifier.startsWith(".")) return undefined;
  const target = new URL(specifier, `file:///${file}`).pathname.slice(1);
  if (!target.startsWith("src/") && target !== "mod.ts") return undefined;
  const [from, to] = [roomOf(file), roomOf(target)];
  if (levelOf(from) < 0) return `src/${from} is no room of ARCHITECTURE.md`;
  if (levelOf(to) > levelOf(from)) return `${from} lies below ${to} and must not import from it`;
  return undefined;
}

const importsRule: Deno.lint.Rule = {
  create(context) {
    const file = fromRoot(context.filename);
    if (file === undefined) return {};
    const check = (node: Deno.lint.Node, source: unknown) => {
      const fault = typeof source === "string" ? importFault(file, source) : undefined;
      if (fault) context.report({ node, message: fault });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => check(node, node.source?.value),
      ExportAllDeclaration: (node) => check(node, node.source.value),
      ImportExpression: (node) => check(node, node.source.type === "Literal" ? node.source.value : undefined),
    };
  },
};

const ownersRule: Deno.lint.Rule = {
  create(context) {
    const file = fromRoot(context.filename);
    if (file === undefined) return {};
    const report = (node: Deno.lint.Node, what: string) =>
      context.report({ node, message: `${what} is not for ${file}` });
    return {
      MemberExpression(node) {
        if (node.object.type !== "Identifier" || node.property.type !== "Identifier") return;
        const [object, property] = [node.object.name, node.property.name];
        const owner = GLOBAL_OWNERS.find((o) => o.object === object && o.property === property);
        if (owner && !owner.allowed.test(file)) report(node, owner.what);
      },
      CallExpression(node) {
        const callee = node.callee;
        if (callee.type !== "Identifier") return;
        const owner = GLOBAL_OWNERS.find((o) => o.object === callee.name && !o.property);
        if (owner && !owner.allowed.test(file)) report(node, owner.what);
      },
    };
  },
};

export default {
  name: "dsh",
  rules: { layers: importsRule, owners: ownersRule },
} satisfies Deno.lint.Plugin;
