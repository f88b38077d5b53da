import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Preset } from "../../src/config/config.ts";
import { readCommandLine } from "../../src/permission/command_line.ts";
import {
  type Action,
  type CommandAction,
  decide,
  type Decision,
  type FetchAction,
  needsLine,
  type Standing,
} from "../../src/permission/decide.ts";
import { EDITS, type Grant } from "../../src/permission/grant.ts";
import { parseRules } from "../../src/permission/rules.ts";

const COMMAND: CommandAction = { kind: "command", command: "rm x", cwd: "/w" };
const ACTIONS: Record<string, Action> = {
  read: { kind: "read", path: "/w/a" },
  edit: { kind: "edit", path: "/w/a" },
  command: COMMAND,
  network: { ...COMMAND, escalate: "network" },
  unconfined: { ...COMMAND, escalate: "unconfined" },
};

const TABLE: [Preset, keyof typeof ACTIONS, "allow" | "ask"][] = [
  ["read-only", "read", "allow"],
  ["read-only", "command", "allow"],
  ["read-only", "edit", "ask"],
  ["read-only", "network", "ask"],
  ["read-only", "unconfined", "ask"],
  ["confirm", "read", "allow"],
  ["confirm", "command", "ask"],
  ["confirm", "edit", "ask"],
  ["confirm", "network", "ask"],
  ["confirm", "unconfined", "ask"],
  ["workspace", "read", "allow"],
  ["workspace", "command", "allow"],
  ["workspace", "edit", "allow"],
  ["workspace", "network", "ask"],
  ["workspace", "unconfined", "ask"],
  ["full-access", "read", "allow"],
  ["full-access", "command", "allow"],
  ["full-access", "edit", "allow"],
  ["full-access", "network", "allow"],
  ["full-access", "unconfined", "allow"],
];

for (const [preset, action, verdict] of TABLE) {
  Deno.test(`decide() in ${preset}: ${action} → ${verdict}`, () => {
    assertEquals(decide({ preset }, ACTIONS[action]!).verdict, verdict);
  });
}

/** The decision on a command whose line has been read. */
async function on(standing: Standing, command: string, more: Partial<CommandAction> = {}): Promise<Decision> {
  const action: CommandAction = { kind: "command", command, cwd: "/w", ...more };
  return decide({ workspace: "/w", ...standing }, action, await readCommandLine(command));
}

function reasonOf(decision: Decision): string {
  return decision.verdict === "allow" ? "" : decision.reason;
}

async function grantOf(
  standing: Standing,
  command: string,
  more: Partial<CommandAction> = {},
): Promise<Grant> {
  const decision = await on(standing, command, more);
  assert(decision.verdict === "ask" && decision.always, command);
  return decision.always.grant;
}

Deno.test("decide() asks for everything when the confinement could not be put on, and says why", () => {
  for (const preset of ["read-only", "confirm", "workspace"] as const) {
    for (const action of Object.values(ACTIONS)) {
      const decision = decide({ preset, unconfinedBecause: "no Landlock" }, action);
      assertEquals(decision.verdict, "ask");
      assertStringIncludes(reasonOf(decision), "no Landlock");
    }
  }
});

Deno.test("decide() without confinement knows only grants for unconfined", async () => {
  const bare: Standing = { preset: "workspace", unconfinedBecause: "no Landlock" };
  const confined = await grantOf({ preset: "confirm" }, "npm test");
  assertEquals((await on({ ...bare, grants: [confined] }, "npm test")).verdict, "ask");
  assertEquals((await on(bare, "ls")).verdict, "ask");
  const unconfined = await grantOf(bare, "npm test");
  assertEquals((await on({ ...bare, grants: [unconfined] }, "npm test")).verdict, "allow");
  assertEquals((await on({ ...bare, grants: [unconfined] }, "npm test; ls")).verdict, "ask");
  assertEquals(decide({ ...bare, grants: [EDITS.grant], workspace: "/w" }, ACTIONS.edit!).verdict, "ask");
  assertEquals((await on({ ...bare, preset: "read-only", grants: [unconfined] }, "npm test")).verdict, "ask");
});

Deno.test("decide() in confirm runs what is harmless, granted or allowed by a rule", async () => {
  const confirm: Standing = { preset: "confirm" };
  assertEquals((await on(confirm, "ls | head")).verdict, "allow");
  assertEquals((await on(confirm, "npm test")).verdict, "ask");
  const grants = [await grantOf(confirm, "npm test")];
  assertEquals((await on({ ...confirm, grants }, "npm test | tail -3")).verdict, "allow");
  const rules = parseRules({ allow: ["foo *"] });
  assertEquals((await on({ ...confirm, grants, rules }, "npm test && foo a; ls")).verdict, "allow");
  assertEquals((await on({ ...confirm, grants, rules }, "npm test && foo a; rm x")).verdict, "ask");
  assertEquals((await on({ ...confirm, rules }, "foo $(")).verdict, "ask");
});

Deno.test("decide() in confirm says what it stumbles over, and offers the grant for it", async () => {
  const decision = await on({ preset: "confirm" }, "ls && foo a | tail -3");
  assertEquals(decision, {
    verdict: "ask",
    reason: "The preset `confirm` asks before `foo a`.",
    always: {
      grant: {
        version: 1,
        kind: "commands",
        reach: "confined",
        parts: [{ kind: "exact", assignments: [], words: ["foo", "a"] }],
      },
      label: "Always allow exactly `foo a` in this workspace",
      scope: "workspace",
    },
  });
  const unreadable = await on({ preset: "confirm" }, "eval $x");
  assertEquals(unreadable, {
    verdict: "ask",
    reason: "It cannot be judged: `eval` runs what a variable or a command gives.",
  });
});

Deno.test("decide() takes a line of another text for none", async () => {
  const line = await readCommandLine("ls");
  assertEquals(decide({ preset: "confirm" }, { ...COMMAND, command: "rm x" }, line).verdict, "ask");
  assertEquals(decide({ preset: "confirm" }, { ...COMMAND, command: "ls" }).verdict, "ask");
});

Deno.test("decide() asks for an escalation in the model's bounded words", async () => {
  const workspace: Standing = { preset: "workspace" };
  const asked = await on(workspace, "npm ci", {
    escalate: "network",
    justification: "to\u202e fetch “packages”\nnow",
  });
  assertEquals(
    reasonOf(asked),
    "It asks for the network, for this one call; the rules for files stay. The model's words: “to fetch packages now”",
  );
  const long = await on(workspace, "npm ci", { escalate: "unconfined", justification: "x".repeat(5000) });
  assert(reasonOf(long).length < 500);
  assertStringIncludes(
    reasonOf(await on(workspace, "npm ci", { escalate: "network" })),
    "The model gives no reason.",
  );
});

Deno.test("decide() keeps grants for an escalation apart", async () => {
  const workspace: Standing = { preset: "workspace" };
  const network = [await grantOf(workspace, "npm ci", { escalate: "network" })];
  assertEquals(
    (await on({ ...workspace, grants: network }, "npm ci", { escalate: "network" })).verdict,
    "allow",
  );
  assertEquals(
    (await on({ ...workspace, grants: network }, "npm ci", { escalate: "unconfined" })).verdict,
    "ask",
  );
  assertEquals(
    (await on({ ...workspace, grants: network }, "npm ci -x", { escalate: "network" })).verdict,
    "ask",
  );
  assertEquals((await on({ ...workspace, grants: network }, "ls", { escalate: "network" })).verdict, "ask");
  assertEquals((await on({ preset: "confirm", grants: network }, "npm ci")).verdict, "ask");
  assertEquals(
    (await on({ preset: "read-only", grants: network }, "npm ci", { escalate: "network" })).verdict,
    "ask",
  );
  const rules = parseRules({ allow: ["npm *"] });
  assertEquals((await on({ ...workspace, rules }, "npm ci", { escalate: "network" })).verdict, "ask");
});

Deno.test("decide() lets deny beat ask, ask beat allow and grants", async () => {
  const rules = parseRules({ allow: ["git *"], ask: ["git push *"], deny: ["git push --force *"] });
  for (const preset of ["read-only", "confirm", "workspace", "full-access"] as const) {
    const denied = await on({ preset, rules }, "ls; git push --force");
    assertEquals(denied.verdict, "deny");
    assertStringIncludes(reasonOf(denied), "`git push --force *`");
  }
  for (const preset of ["read-only", "confirm", "workspace"] as const) {
    assertEquals((await on({ preset, rules }, "git push")).verdict, "ask");
    assertEquals((await on({ preset, rules }, "git $x")).verdict, "ask");
    assertEquals((await on({ preset, rules }, "git fetch")).verdict, "allow");
    assertEquals((await on({ preset, rules }, "eval $x")).verdict, "ask");
  }
  assertEquals((await on({ preset: "full-access", rules }, "git push")).verdict, "allow");
  assertEquals((await on({ preset: "full-access", rules }, "eval $x")).verdict, "allow");
});

Deno.test("decide() on edits: a grant for the session, rules by path, never outside the workspace", () => {
  const confirm: Standing = { preset: "confirm", workspace: "/w" };
  const inside: Action = { kind: "edit", path: "/w/a" };
  const outside: Action = { kind: "edit", path: "/w/../etc/a" };
  const asked = decide(confirm, inside);
  assertEquals(asked.verdict === "ask" && asked.always?.scope, "session");
  const granted: Standing = { ...confirm, grants: [EDITS.grant] };
  assertEquals(decide(granted, inside).verdict, "allow");
  assertEquals(decide(granted, outside).verdict, "ask");
  assertEquals(decide({ ...granted, preset: "read-only" }, inside).verdict, "ask");
  const rules = parseRules({ allow: ["edit:docs/**"], deny: ["edit:docs/x"] });
  assertEquals(decide({ ...confirm, rules }, { kind: "edit", path: "/w/docs/a" }).verdict, "allow");
  assertEquals(decide({ ...confirm, rules }, { kind: "edit", path: "/w/docs/x" }).verdict, "deny");
  assertEquals(
    decide({ preset: "full-access", workspace: "/w", rules }, { kind: "edit", path: "/w/docs/x" }).verdict,
    "deny",
  );
});

Deno.test("decide() on MCP tools asks once a tool, in read-only each time", () => {
  const call = { kind: "mcp", server: "s", tool: "t" } as const;
  const asked = decide({ preset: "workspace" }, call);
  assert(asked.verdict === "ask" && asked.always);
  const grants = [asked.always.grant];
  assertEquals(decide({ preset: "workspace", grants }, call).verdict, "allow");
  assertEquals(decide({ preset: "workspace", grants }, { ...call, tool: "u" }).verdict, "ask");
  assertEquals(decide({ preset: "read-only", grants }, call).verdict, "ask");
  assertEquals(decide({ preset: "full-access" }, call).verdict, "allow");
});

const PAGE: FetchAction = { kind: "fetch", url: "https://docs.test/a", host: "docs.test" };

Deno.test("decide() on pages asks once a host, in read-only each time, in full-access never", () => {
  const elsewhere: FetchAction = { kind: "fetch", url: "https://www.docs.test/a", host: "www.docs.test" };
  const otherPort: FetchAction = { kind: "fetch", url: "https://docs.test:8443/", host: "docs.test:8443" };
  for (const preset of ["confirm", "workspace"] as const) {
    const asked = decide({ preset }, PAGE);
    assert(asked.verdict === "ask" && asked.always);
    assertEquals(asked.always.scope, "workspace");
    assertStringIncludes(asked.always.label, "the host `docs.test` in this workspace");
    const grants = [asked.always.grant];
    assertEquals(decide({ preset, grants }, { ...PAGE, url: "http://docs.test/b" }).verdict, "allow");
    assertEquals(decide({ preset, grants }, elsewhere).verdict, "ask");
    assertEquals(decide({ preset, grants }, otherPort).verdict, "ask");
    const readOnly = decide({ preset: "read-only", grants }, PAGE);
    assertEquals([readOnly.verdict, readOnly.verdict === "ask" && readOnly.always], ["ask", undefined]);
  }
  assertEquals(decide({ preset: "full-access" }, PAGE).verdict, "allow");
  assertStringIncludes(
    reasonOf(decide({ preset: "workspace" }, { ...PAGE, redirectedBy: "a.test" })),
    "`a.test` sends on to another host, `docs.test`.",
  );
});

Deno.test("decide() on pages: rules by host; deny beats ask, ask beats allow and grants", () => {
  const grants: Grant[] = [{ version: 1, kind: "fetch", host: "docs.test" }];
  const verdict = (preset: Preset, rules: Parameters<typeof parseRules>[0]) =>
    decide({ preset, grants, rules: parseRules(rules) }, PAGE).verdict;
  assertEquals(verdict("workspace", { deny: ["fetch:docs.test"], allow: ["fetch:*"] }), "deny");
  assertEquals(verdict("full-access", { deny: ["fetch:*"] }), "deny");
  assertEquals(verdict("workspace", { ask: ["fetch:docs.test"], allow: ["fetch:docs.test"] }), "ask");
  assertEquals(verdict("read-only", { allow: ["fetch:docs.test"] }), "ask");
  const allowed = (rule: string) =>
    decide({ preset: "workspace", rules: parseRules({ allow: [rule] }) }, PAGE).verdict;
  assertEquals(["fetch:docs.test", "fetch:*.test", "fetch:*"].map(allowed), ["allow", "allow", "allow"]);
  assertEquals(["fetch:test", "fetch:*.docs.test", "fetch:docs.test:80"].map(allowed), ["ask", "ask", "ask"]);
});

Deno.test("needsLine() spares the grammar where the preset alone decides", () => {
  const rules = parseRules({ deny: ["rm *"] });
  assertEquals(needsLine({ preset: "workspace" }, COMMAND), false);
  assertEquals(needsLine({ preset: "read-only" }, COMMAND), false);
  assertEquals(needsLine({ preset: "confirm" }, COMMAND), true);
  assertEquals(needsLine({ preset: "workspace" }, { ...COMMAND, escalate: "network" }), true);
  assertEquals(needsLine({ preset: "full-access" }, COMMAND), false);
  assertEquals(needsLine({ preset: "full-access", rules }, COMMAND), true);
});

Deno.test("the user's trust in an MCP server counts in workspace alone, and behind the rules", () => {
  const call = { kind: "mcp", server: "s", tool: "t", trusted: true } as const;
  const verdict = (standing: Standing, action: typeof call | Omit<typeof call, "trusted"> = call) =>
    decide(standing, action).verdict;
  assertEquals(verdict({ preset: "workspace" }), "allow");
  assertEquals(verdict({ preset: "workspace" }, { kind: "mcp", server: "s", tool: "t" }), "ask");
  assertEquals(verdict({ preset: "confirm" }), "ask");
  assertEquals(verdict({ preset: "read-only" }), "ask");
  assertEquals(verdict({ preset: "workspace", rules: parseRules({ ask: ["mcp:s/*"] }) }), "ask");
  assertEquals(verdict({ preset: "workspace", rules: parseRules({ deny: ["mcp:s/t"] }) }), "deny");
});
