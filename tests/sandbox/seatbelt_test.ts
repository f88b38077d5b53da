import { assert, assertEquals } from "@std/assert";
import { policyFor } from "../../src/sandbox/policy.ts";
import { seatbelt, seatbeltText } from "../../src/sandbox/seatbelt.ts";

const INPUT = {
  preset: "workspace",
  cwd: '/Users/me/a "project"',
  home: "/Users/me",
  stateDir: "/Users/me/state",
  tempDir: "/Users/me/state/tmp/s1",
  realPath: (path: string) => path,
} as const;

function profile(wish?: "network") {
  const { policy } = policyFor({ ...INPUT, ...(wish && { wish }) });
  const [pinned, readOnly] = [[`${INPUT.cwd}/.git`], [`${INPUT.cwd}/.git/hooks`]];
  return { program: "/usr/bin/sandbox-exec", policy, pinned, readOnly };
}

Deno.test("seatbeltText() lets the policy's places be written, then takes the protected ones out", () => {
  const text = seatbeltText(profile());
  const at = (line: string) => text.split("\n").findIndex((each) => each.trim() === line);
  const [denied, root, hooks] = [
    at("(deny file-write*)"),
    at('(subpath "/Users/me/a \\"project\\"")'),
    at('(subpath "/Users/me/a \\"project\\"/.git/hooks")'),
  ];
  assert(0 < denied && denied < root && root < hooks);
  assert(at('(literal "/Users/me/a \\"project\\"/.git")') > hooks);
});

Deno.test("seatbeltText() hides secrets but not the session's directory among them", () => {
  const text = seatbeltText(profile());
  const secret = text.indexOf('(subpath "/Users/me/.ssh")');
  const [state, own] = [
    text.indexOf('(subpath "/Users/me/state")'),
    text.lastIndexOf('(subpath "/Users/me/state/tmp/s1")'),
  ];
  assert(0 < secret && secret < state && state < own);
});

Deno.test("seatbeltText() closes the network but for the loopback, unless the policy opens it", () => {
  assert(seatbeltText(profile()).includes("(deny network*)"));
  assert(!seatbeltText(profile("network")).includes("(deny network*)"));
  for (const wish of [undefined, "network"] as const) {
    assert(seatbeltText(profile(wish)).includes("(deny network-outbound (remote unix-socket))"));
  }
});

Deno.test("seatbeltText() has as many opening as closing parentheses", () => {
  const text = seatbeltText(profile()).replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
  assertEquals(text.split("(").length, text.split(")").length);
});

Deno.test("seatbelt.wrap() puts the profile before the command", () => {
  const argv = seatbelt.wrap(profile(), ["deno", "run"]);
  assertEquals([argv[0], argv[1], ...argv.slice(3)], ["/usr/bin/sandbox-exec", "-p", "--", "deno", "run"]);
});
