import { assertEquals } from "@std/assert";
import type { McpServerConfig } from "../../../src/config/config.ts";
import { serverEnvironment } from "../../../src/tool/mcp/environment.ts";
import { redactor, secretsIn } from "../../../src/tool/mcp/secrets.ts";

const server = (transport: McpServerConfig["transport"]): McpServerConfig => ({
  name: "s",
  transport,
  trusted: false,
});
const stdio = (env: Record<string, string>) => server({ kind: "stdio", command: "c", args: [], env });
const http = (url: string, headers: Record<string, string> = {}) => server({ kind: "http", url, headers });

Deno.test("what looks like a secret among a server's variables is one, plain words are none", () => {
  const secret = {
    API_TOKEN: "short1",
    DB_PASSWORD: "hunter22",
    X: "ghp_0123456789012345678901",
    Y: "a8f3k2l9s8d7f6g5h4",
  };
  const plain = {
    NODE_ENV: "production",
    DIR: "/home/me/dir1/dir2/dir3",
    LEVEL: "3",
    GREETING: "hello to all of you 123",
  };
  assertEquals(secretsIn(stdio({ ...secret, ...plain })), Object.values(secret));
});

Deno.test("headers are secrets, and the token in them by itself", () => {
  const headers = {
    Authorization: "Bearer tok-1",
    "X-Own": "own-1",
    Accept: "text/html",
    "Content-Type": "a/b",
  };
  assertEquals(secretsIn(http("https://example.com/mcp?page=2", headers)), [
    "Bearer tok-1",
    "tok-1",
    "own-1",
  ]);
  assertEquals(secretsIn(http("https://me:pass-1@example.com/?api_key=key-1&page=two")), ["pass-1", "key-1"]);
  assertEquals(secretsIn(http("no address")), []);
});

Deno.test("redactor() takes the longest first", () => {
  assertEquals(
    redactor(["tok-4711", "Bearer tok-4711"])("Bearer tok-4711, tok-4711, other"),
    "***, ***, other",
  );
});

Deno.test("serverEnvironment() lets the user's places pass and no key", () => {
  const passed = { PATH: "/bin", HOME: "/h", LANG: "C", DISPLAY: ":0", TMPDIR: "/t" };
  const kept = {
    DEEPSEEK_API_KEY: "sk-1",
    GITHUB_TOKEN: "x",
    AWS_PROFILE: "p",
    SSH_AUTH_SOCK: "/s",
    LD_PRELOAD: "/l",
  };
  assertEquals(serverEnvironment({ ...passed, ...kept }), passed);
});
