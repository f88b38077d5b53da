import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Preset } from "../../src/config/config.ts";
import { type Action, decide } from "../../src/permission/decide.ts";

const ACTIONS: Record<string, Action> = {
  read: { kind: "read", path: "/w/a" },
  edit: { kind: "edit", path: "/w/a" },
  command: { kind: "command", command: "ls", cwd: "/w" },
};

const TABLE: [Preset, keyof typeof ACTIONS, "allow" | "ask"][] = [
  ["read-only", "read", "allow"],
  ["read-only", "command", "allow"],
  ["read-only", "edit", "ask"],
  ["confirm", "read", "allow"],
  ["confirm", "command", "ask"],
  ["confirm", "edit", "ask"],
  ["workspace", "read", "allow"],
  ["workspace", "command", "allow"],
  ["workspace", "edit", "allow"],
  ["full-access", "read", "allow"],
  ["full-access", "command", "allow"],
  ["full-access", "edit", "allow"],
];

for (const [preset, action, verdict] of TABLE) {
  Deno.test(`decide() in ${preset}: ${action} → ${verdict}`, () => {
    assertEquals(decide({ preset }, ACTIONS[action]!).verdict, verdict);
  });
}

Deno.test("decide() asks for everything when the confinement could not be put on, and says why", () => {
  for (const preset of ["read-only", "confirm", "workspace"] as const) {
    for (const action of Object.values(ACTIONS)) {
      const decision = decide({ preset, unconfinedBecause: "no Landlock" }, action);
      assertEquals(decision.verdict, "ask");
      assertStringIncludes(decision.verdict === "ask" ? decision.reason : "", "no Landlock");
    }
  }
});
