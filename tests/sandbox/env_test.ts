import { assert, assertEquals } from "@std/assert";
import { passesScrub, scrubEnv } from "../../src/sandbox/env.ts";

const OPTIONS = { pass: [], tempDir: "/state/tmp/s1", confined: true, bash: "/usr/bin/bash" };

const PASSES: [name: string, value: string][] = [
  ["PATH", "/usr/bin:/opt/sk-tools-with-a-long-name/bin"],
  ["HOME", "/home/me"],
  ["LANG", "de_DE.UTF-8"],
  ["LC_ALL", "C"],
  ["KEYBOARD_LAYOUT", "de"],
  ["XKB_DEFAULT_LAYOUT", "us"],
  ["TZ", "Europe/Berlin"],
  ["JAVA_HOME", "/usr/lib/jvm/21"],
  ["VIRTUAL_ENV", "/home/me/venv"],
  ["NODE_ENV", "test"],
  ["CI", "true"],
  ["GOPROXY", "https://proxy.example/go"],
  ["HTTPS_PROXY", "http://proxy.example:8080"],
  ["SSL_CERT_FILE", "/etc/ssl/cert.pem"],
];

const DROPPED: [name: string, value: string][] = [
  ["DATABASE_URL", "postgres://me:pw@db/x"],
  ["MY_PAT", "abc"],
  ["AWS_CREDENTIALS", "abc"],
  ["DEEPSEEK_API_KEY", "sk-0123456789abcdef0123"],
  ["OPENAI_API_KEY", "x"],
  ["GITHUB_TOKEN", "x"],
  ["SSH_AUTH_SOCK", "/run/agent"],
  ["DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/bus"],
  ["XDG_RUNTIME_DIR", "/run/user/1000"],
  ["DISPLAY", ":0"],
  ["DOCKER_HOST", "tcp://x"],
  ["KUBECONFIG", "/home/me/.kube/config"],
  ["NODE_OPTIONS", "--require /tmp/x.js"],
  ["PYTHONSTARTUP", "/tmp/x.py"],
  ["GIT_SSH_COMMAND", "x"],
  ["GIT_CONFIG_COUNT", "1"],
  ["DENO_AUTH_TOKENS", "x@y"],
  ["DSH_MODEL", "deepseek/x"],
  ["SOMETHING_OF_THE_USER", "harmless, but not on the list"],
  // on the list, but for their values
  ["HTTPS_PROXY", "http://me:pw@proxy.example:8080"],
  ["HTTP_PROXY", "http://0123456789abcdef0123@proxy.example"],
  ["GOPROXY", "https://x.example/?token=0123456789"],
  ["GOFLAGS", "-X key=ghp_0123456789abcdefghijABCDEFGHIJ"],
  ["NODE_ENV", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc"],
  ["CFLAGS", "-DKEY='-----BEGIN RSA PRIVATE KEY-----'"],
  ["MAKEFLAGS", "AWS=AKIAIOSFODNN7EXAMPLE"],
  ["LC_SECRET", "abc"],
  ["KEYBOARD_TOKEN", "abc"],
  ["LANGUAGE", "a\0b"],
];

Deno.test("the scrub lets pass what commands need", async (t) => {
  for (const [name, value] of PASSES) {
    await t.step(name, () => assert(passesScrub(name, value, [])));
  }
});

Deno.test("the scrub drops secrets and what nobody listed", async (t) => {
  for (const [name, value] of DROPPED) {
    await t.step(`${name}=${value.replace("\0", "\\0")}`, () => assert(!passesScrub(name, value, [])));
  }
});

Deno.test("the user's own names pass, whatever they look like, but for those that change the shell", () => {
  assert(passesScrub("GITHUB_TOKEN", "ghp_0123456789abcdefghijABCDEFGHIJ", ["GITHUB_TOKEN"]));
  const names = ["LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "SHELLOPTS"]
    .concat(["BASHOPTS", "PS4", "PROMPT_COMMAND", "IFS", "CDPATH", "BASH_FUNC_ls%%"]);
  assertEquals(names.filter((name) => passesScrub(name, "x", names)), []);
});

Deno.test("scrubEnv() makes programs behave without a terminal", () => {
  const env = scrubEnv(
    { PATH: "/bin", EDITOR: "vim", PAGER: "less", TERM: "xterm", TMPDIR: "/tmp" },
    OPTIONS,
  );
  assertEquals(env.PATH, "/bin");
  assertEquals([env.PAGER, env.GIT_PAGER, env.EDITOR, env.TERM], ["cat", "cat", "true", "dumb"]);
  assertEquals([env.NO_COLOR, env.GIT_TERMINAL_PROMPT], ["1", "0"]);
  assertEquals([env.TMPDIR, env.SHELL], ["/state/tmp/s1", "/usr/bin/bash"]);
});

Deno.test("scrubEnv() puts caches where they can be written only when confined", () => {
  const source = { PATH: "/bin", HOME: "/home/me", XDG_CACHE_HOME: "/home/me/.cache" };
  const confined = scrubEnv(source, OPTIONS);
  assertEquals([confined.XDG_CACHE_HOME, confined.DENO_DIR], ["/state/tmp/s1/cache", "/home/me/.cache/deno"]);
  const free = scrubEnv(source, { ...OPTIONS, confined: false });
  assertEquals([free.XDG_CACHE_HOME, free.DENO_DIR], ["/home/me/.cache", undefined]);
});

Deno.test("scrubEnv() always has a PATH", () => {
  assertEquals(scrubEnv({}, OPTIONS).PATH, "/usr/local/bin:/usr/bin:/bin");
});
