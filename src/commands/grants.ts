import { loadConfig } from "../config/load.ts";
import { AgentError } from "../errors.ts";
import { describeGrant } from "../permission/grant.ts";
import { type Granted, GrantStore, listGrants } from "../permission/grant_store.ts";
import { harmless, print } from "./print.ts";
import { readCommandLine, usage } from "./settings.ts";

/** `dsh-acp grants`: what was allowed for always, by workspace, and how to take it back. */
export async function run(args: readonly string[]): Promise<number> {
  const { overrides, values, words } = await readCommandLine(args, {
    "json": { type: "boolean", default: false },
  });
  const [action = "list", id, ...rest] = words;
  const { stateDir } = await loadConfig(overrides);
  if (action === "list" && id === undefined) return list(await listGrants(stateDir), values.json === true);
  if (action === "withdraw" && id !== undefined && rest.length === 0) return await withdraw(stateDir, id);
  throw usage("grants takes: list [--json], or withdraw ID");
}

function list(all: readonly Granted[], json: boolean): number {
  print(
    json
      ? JSON.stringify(all)
      : all.length === 0
      ? "Nothing was allowed for always."
      : all.map(lines).join("\n"),
  );
  return 0;
}

function lines({ workspace, grants, warning }: Granted): string {
  const entries = grants.map((g) => `  ${g.id}  ${harmless(describeGrant(g.grant))}`);
  return [workspace ?? "(a file that cannot be used)", ...(warning ? [`  ${warning}`] : []), ...entries].join(
    "\n",
  );
}

/** An id is made from what is granted, so that the same grant may stand for several workspaces: all go. */
async function withdraw(stateDir: string, id: string): Promise<number> {
  let found = false;
  for (const { workspace, grants } of await listGrants(stateDir)) {
    if (workspace === undefined || !grants.some((g) => g.id === id)) continue;
    found = await (await GrantStore.of(stateDir, workspace)).withdraw(id) || found;
  }
  if (!found) throw new AgentError("usage", `There is no grant "${id}": dsh-acp grants list shows them.`);
  print(`Withdrawn: ${id}`);
  return 0;
}
