import { assert, assertEquals } from "@std/assert";
import { mayRead, mayWrite } from "../../src/sandbox/access.ts";
import { placesOf } from "../../src/config/paths.ts";
import { carve } from "../../src/sandbox/carve.ts";
import { ownPlacesOf } from "../../src/sandbox/own_places.ts";
import { policyFor, type PolicyInput } from "../../src/sandbox/policy.ts";

const INPUT: PolicyInput = {
  preset: "workspace",
  cwd: "/home/me/project",
  home: "/home/me",
  stateDir: "/home/me/.local/state/dsh-acp",
  tempDir: "/home/me/.local/state/dsh-acp/tmp/s1",
  asRoot: true,
  realPath: (path) => path,
  ...ownPlacesOf({ environment: {}, ...placesOf("linux", { HOME: "/home/me" }) }),
};

Deno.test("the keys that were typed in are secret, wherever a platform keeps them", async (t) => {
  const cases: [string, typeof Deno.build.os, Record<string, string>][] = [
    ["by default", "linux", {}],
    ["on macOS, with the state elsewhere", "darwin", { DSH_STATE_DIR: "/state" }],
    ["in a directory of the user's", "linux", { XDG_CONFIG_HOME: "/cfg" }],
    ["in a directory that is no path", "linux", { XDG_CONFIG_HOME: "cfg" }],
    ["with a config file elsewhere", "linux", { DSH_CONFIG: "/elsewhere/config.jsonc" }],
  ];
  for (const [name, os, more] of cases) {
    await t.step(name, () => {
      const env = { HOME: "/home/me", ...more };
      const places = placesOf(os, env);
      const configFile = more.DSH_CONFIG ?? places.configFile;
      const own = ownPlacesOf({ environment: env, ...places, configFile });
      for (const preset of ["read-only", "confirm", "workspace"] as const) {
        const { policy } = policyFor({ ...INPUT, ...own, stateDir: "/state", preset });
        for (const path of [places.keysFile, `${places.keysFile}.new`, configFile]) {
          assert(!mayRead(policy, path), `${preset} may read ${path}`);
        }
      }
    });
  }
});

Deno.test("an embedder's keys are secret, and not what lies beside them", () => {
  const own = ownPlacesOf({
    environment: {},
    home: "/home/me",
    configFile: "/etc/a.jsonc",
    keysFile: "/etc/keys",
  });
  const { policy } = policyFor({ ...INPUT, ...own });
  assertEquals(["/etc/keys", "/etc/hosts"].map((path) => mayRead(policy, path)), [false, true]);
});

Deno.test("policyFor(): what each preset may write", async (t) => {
  const cases = {
    "read-only": [INPUT.tempDir],
    "confirm": [INPUT.cwd, "/data", INPUT.tempDir],
    "workspace": [INPUT.cwd, "/data", INPUT.tempDir],
    "full-access": [],
  } as const;
  for (const [preset, writable] of Object.entries(cases)) {
    await t.step(preset, () => {
      const { policy, notes } = policyFor({ ...INPUT, preset: preset as "confirm", extraRoots: ["/data"] });
      assertEquals([...policy.writable], [...writable]);
      assertEquals(
        [policy.confined, policy.network],
        preset === "full-access" ? [false, true] : [true, false],
      );
      assertEquals(notes, []);
    });
  }
});

Deno.test("policyFor(): a wish widens one thing", () => {
  const network = policyFor({ ...INPUT, wish: "network" }).policy;
  assertEquals([network.confined, network.network], [true, true]);
  assertEquals(policyFor({ ...INPUT, wish: "unconfined" }).policy.confined, false);
});

Deno.test("policyFor(): what is no workspace is not writable, and a note says why", async (t) => {
  const cases: [cwd: string, why: RegExp][] = [
    ["/", /whole file system/],
    ["/home/me", /is the home directory/],
    ["/home", /holds the home directory/],
    ["/home/me/.local", /agent's own files/],
    ["/home/me/.local/state/dsh-acp", /agent's own files/],
    ["/home/me/.local/state/dsh-acp/sub", /lies in this agent's own files/],
    ["/home/me/.config", /agent's own files/],
    ["/home/me/.cache", /agent's own files/],
    ["/home/me/.ssh", /place of secrets/],
    ["/etc", /place of secrets/],
  ];
  for (const [cwd, why] of cases) {
    await t.step(cwd, () => {
      const { policy, notes } = policyFor({ ...INPUT, cwd });
      assertEquals([...policy.writable], [INPUT.tempDir]);
      assert(
        notes.length === 1 && notes[0]!.startsWith(`${cwd} is not writable: `) && why.test(notes[0]!),
        notes[0],
      );
    });
  }
});

Deno.test("policyFor(): secrets are places, found through symlinks", () => {
  const realPath = (path: string) => path.replace("/home/me/.aws", "/mnt/dotfiles/aws");
  const { policy } = policyFor({ ...INPUT, realPath });
  assert(policy.secret.includes("/mnt/dotfiles/aws"));
  assert(!policy.secret.includes("/home/me/.aws"));
  assert(policy.secret.includes(INPUT.stateDir) && policy.secret.includes("/home/me/.config/dsh-acp"));
});

Deno.test("mayRead() and mayWrite() agree with the policy", () => {
  const { policy } = policyFor(INPUT);
  const table: [path: string, read: boolean, write: boolean][] = [
    ["/home/me/project", true, true],
    ["/home/me/project/a/b", true, true],
    ["/home/me/projects", true, false],
    ["/home/me/.ssh/id", false, false],
    ["/home/me/.sshd", true, false],
    [`${INPUT.stateDir}/sessions.db`, false, false],
    [`${INPUT.stateDir}/tmp/s2/x`, false, false],
    [`${INPUT.tempDir}/x`, true, true],
    ["/etc/passwd", true, false],
    ["/etc/shadow", false, false],
  ];
  for (const [path, read, write] of table) {
    assertEquals([path, mayRead(policy, path), mayWrite(policy, path)], [path, read, write]);
  }
});

Deno.test("carve() covers all but the secret places", async (t) => {
  const tree: Record<string, string[]> = {
    "/": ["etc", "home"],
    "/home": ["me", "you"],
    "/home/me": [".ssh", ".config", "project"],
    "/home/me/.config": ["gh", "git"],
  };
  const list = (directory: string) =>
    tree[directory]?.map((name) => ({
      path: `${directory === "/" ? "" : directory}/${name}`,
      isDirectory: true,
    }));
  const carved = (...secret: string[]) => carve(secret, list).map(({ path }) => path);
  await t.step("by the siblings on the way to them", () => {
    assertEquals(carved("/home/me/.ssh", "/home/me/.config/gh"), [
      ...["/etc", "/home/me/.config/git", "/home/me/project", "/home/you"],
    ]);
  });
  await t.step("also those that do not exist yet", () => {
    assertEquals(carved("/home/me/.netrc"), [
      ...["/etc", "/home/me/.ssh", "/home/me/.config", "/home/me/project", "/home/you"],
    ]);
  });
  await t.step("nothing below a secret place that holds another", () => {
    assertEquals(carved("/home", "/home/me/.ssh"), ["/etc"]);
  });
  await t.step("nothing where the way cannot be listed", () => {
    assertEquals(carved("/home/you/.ssh"), ["/etc", "/home/me"]);
  });
  await t.step("the root itself when there is none", () => {
    assertEquals(carved(), ["/"]);
  });
});

Deno.test("policyFor(): only the agent's own secrecy can be lifted, and of nothing that is or holds a secret", () => {
  const own = `${INPUT.home}/.config/dsh-acp`;
  const policy = (place: string, more: Partial<PolicyInput> = {}) =>
    policyFor({ ...INPUT, ownReadable: [place], ...more }).policy;
  assertEquals(mayRead(policyFor(INPUT).policy, `${own}/skills/x/SKILL.md`), false);
  const lifted = policy(`${own}/skills`);
  const table: [path: string, read: boolean][] = [
    [`${own}/skills/x/SKILL.md`, true],
    [`${own}/skills`, true],
    [`${own}/skillset`, false],
    [`${own}/config.jsonc`, false],
    [own, false],
  ];
  for (const [path, read] of table) assertEquals([path, mayRead(lifted, path)], [path, read]);
  assertEquals(mayWrite(lifted, `${own}/skills/x`), false);
  for (const place of [own, "/home/me/.config", "/home/me/.ssh/skills", `${own}/sub`]) {
    const inner = { ownSecrets: [own, `${own}/sub/config.jsonc`] };
    assertEquals([place, policy(place, inner).readable], [place, []]);
  }
});
