import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ConfinementReport } from "../../../src/sandbox/report.ts";
import { confinementHint, type HintInput, timeoutHint } from "../../../src/tool/bash/confinement_hint.ts";

const PARTIAL: ConfinementReport = {
  preset: "workspace",
  enforcement: "partial",
  layers: ["deno", "env-scrub", "landlock", "seccomp", "capabilities"],
  missing: [],
};
const FULL: ConfinementReport = {
  ...PARTIAL,
  enforcement: "full",
  layers: [...PARTIAL.layers, "bubblewrap"],
};

function hint(output: string, more: Partial<HintInput> = {}): string {
  return confinementHint({
    ...{ output, exit: { code: 1 }, report: PARTIAL, preset: "workspace", escalated: undefined },
    ...{ workspace: "/home/u/app", cwd: "/home/u/app" },
    ...more,
  });
}

/** Outputs as programs print them in the sandbox. */
const NO_NETWORK = {
  "curl by name": "curl: (6) Could not resolve host: example.com\n",
  "curl by address":
    "curl: (7) Failed to connect to 1.1.1.1 port 443 after 0 ms: Couldn't connect to server\n",
  "git clone":
    "Cloning into 'b'...\nfatal: unable to access 'https://example.com/a/b/': Could not resolve host: example.com\n",
  "npm install":
    "npm error code EAI_AGAIN\nnpm error syscall getaddrinfo\nnpm error errno EAI_AGAIN\nnpm error request to https://example.com/left-pad failed, reason: getaddrinfo EAI_AGAIN example.com\n",
  "cargo fetch":
    "error: failed to get `serde` as a dependency of package `x v0.1.0 (/home/u/app/c)`\n\nCaused by:\n  download of config.json failed\n\nCaused by:\n  [6] Could not resolve hostname (Could not resolve host: example.com)\n",
  "python's urllib":
    "    raise URLError(err)\nurllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>\n",
  "wget":
    "Resolving example.com (example.com)... failed: Temporary failure in name resolution.\nwget: unable to resolve host address ‘example.com’\n",
  "node's fetch":
    "  [cause]: Error: getaddrinfo EAI_AGAIN example.com\n    errno: -3001,\n    code: 'EAI_AGAIN',\n    syscall: 'getaddrinfo',\n",
  "deno":
    "error: sending request for url (https://example.com/a.ts): client error (Connect): dns error: failed to lookup address information: Temporary failure in name resolution\n",
  "go": 'go: example.com/x: Get "https://example.com": dial tcp: lookup example.com: no such host\n',
  "ping": "ping: connect: Network is unreachable\n",
};

Deno.test("no network: the hint offers the network", async (t) => {
  for (const [what, output] of Object.entries(NO_NETWORK)) {
    await t.step(what, () => {
      assertMatch(hint(output), /^\[Sandbox: there is no network\..*escalate: "network".*\]$/);
      assertEquals(hint(output, { escalated: "network" }), "", "with the network open it is another's fault");
    });
  }
});

Deno.test("pip without a package may have other reasons: the hint says so", () => {
  const output =
    "ERROR: Could not find a version that satisfies the requirement x (from versions: none)\nERROR: No matching distribution found for x\n";
  assertMatch(hint(output), /^\[Perhaps the sandbox is why: there is no network/);
});

Deno.test("no sockets: a server that cannot listen", async (t) => {
  const outputs = {
    "node":
      "  code: 'EACCES',\n  errno: -13,\n  syscall: 'listen',\n  address: '0.0.0.0',\n  port: 8080\n}\n",
    "python":
      '  File "/usr/lib/python3/socket.py", line 232, in __init__\n    _socket.socket.__init__(self, family, type, proto, fileno)\nPermissionError: [Errno 13] Permission denied\n',
    "deno":
      "error: Uncaught (in promise) PermissionDenied: Permission denied (os error 13)\nDeno.listen({port:8000})\n     ^\n",
    "deno's fetch": "client error (Connect): tcp open error: Permission denied (os error 13)\n",
    "bash": "bash: socket: Permission denied\nbash: line 1: /dev/tcp/1.1.1.1/80: Permission denied\n",
    "curl": "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server\n",
  };
  for (const [what, output] of Object.entries(outputs)) {
    await t.step(what, () => assertMatch(hint(output), /open no sockets.*escalate: "network"/));
  }
});

Deno.test("a refused connection is the sandbox's only where it has a localhost of its own", () => {
  const output = "Error: connect ECONNREFUSED 127.0.0.1:3000\n";
  assertEquals(hint(output), "");
  assertMatch(hint(output, { report: FULL }), /^\[Perhaps .*localhost.*escalate: "network"/);
});

Deno.test("ssh: the network alone would not do, the keys are closed", () => {
  const offline =
    "ssh: Could not resolve hostname example.com: Temporary failure in name resolution\nfatal: Could not read from remote repository.\n";
  assertMatch(hint(offline), /no network, and ssh keys are closed.*escalate: "unconfined"/);
  const keyless =
    "git@example.com: Permission denied (publickey).\nfatal: Could not read from remote repository.\n";
  assertMatch(hint(keyless, { escalated: "network" }), /keys and logins are closed.*escalate: "unconfined"/);
  const loginless = "fatal: could not read Username for 'https://example.com': terminal prompts disabled\n";
  assertMatch(hint(loginless, { escalated: "network" }), /keys and logins are closed/);
});

Deno.test("files outside: write in the workspace, or ask to leave it", async (t) => {
  const outputs = {
    "touch": "touch: cannot touch '/etc/x': Permission denied\n",
    "touch under a read-only root": "touch: cannot touch '/etc/x': Read-only file system\n",
    "mkdir": "mkdir: cannot create directory ‘/opt/foo’: Permission denied\n",
    "a redirection": "/usr/bin/bash: line 2: /home/u/foo.txt: Permission denied\n",
    "cp": "cp: cannot create regular file '/opt/a': Permission denied\n",
    "upwards": "touch: cannot touch '../x': Permission denied\n",
    "git config": "error: could not lock config file /home/u/.gitconfig: Permission denied\n",
    "apt": "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\n",
    "python":
      "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nPermissionError: [Errno 13] Permission denied: '/etc/x'\n",
    "node":
      "Error: EACCES: permission denied, open '/etc/x'\n  errno: -13,\n  code: 'EACCES',\n  syscall: 'open',\n  path: '/etc/x'\n}\n",
  };
  for (const [what, output] of Object.entries(outputs)) {
    await t.step(what, () => {
      assertMatch(hint(output), /^\[Sandbox: commands write only in the workspace.*\$TMPDIR.*"unconfined"/);
    });
  }
});

Deno.test("in read-only the workspace is closed too", () => {
  const output = "touch: cannot touch '/home/u/app/x': Permission denied\n";
  assertEquals(hint(output), "");
  assertMatch(
    hint(output, { preset: "read-only" }),
    /in the preset read-only commands write only in \$TMPDIR/,
  );
});

Deno.test("protected files of the workspace: why they are closed", () => {
  const output = "bash: line 1: /home/u/app/.git/hooks/pre-commit: Read-only file system\n";
  assertMatch(hint(output), /git, editor or shell would run what this file says/);
});

Deno.test("secrets are closed on purpose, and no way around is offered", async (t) => {
  const outputs = {
    "a key": "cat: /home/u/.ssh/id_ed25519: Permission denied\n",
    "a login": "cat: /home/u/.npmrc: Permission denied\n",
    "a cloud's": "cat: /home/u/.aws/credentials: Permission denied\n",
    "the machine's": "cat: /etc/shadow: Permission denied\n",
  };
  for (const [what, output] of Object.entries(outputs)) {
    await t.step(what, () => {
      assertMatch(hint(output), /holds secrets and is closed on purpose/);
      assert(!hint(output).includes("escalate"));
    });
  }
});

Deno.test("services and the kernel's own matters need the unconfined", () => {
  const docker =
    "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock\n";
  assertMatch(hint(docker), /services of the machine.*"unconfined"/);
  assertMatch(hint("Could not open a connection to your authentication agent.\n"), /services of the machine/);
  assertMatch(hint("mount: /mnt: permission denied.\n"), /no mounts, namespaces/);
  assertMatch(hint("unshare: unshare failed: Operation not permitted\n"), /^\[Sandbox: no mounts/);
  assertMatch(hint("chown: changing ownership of 'f': Operation not permitted\n"), /^\[Perhaps .*no mounts/);
});

Deno.test("a file that is missing in /tmp may be there for others", () => {
  const output = "cat: /tmp/app.log: No such file or directory\n";
  assertMatch(hint(output, { report: FULL }), /^\[Perhaps .*\/tmp is this session's own/);
  assertEquals(hint(output), "");
});

Deno.test("a refusal without a name is perhaps the sandbox's", () => {
  const output = "Caused by:\n  Permission denied (os error 13)\n";
  assertMatch(hint(output), /^\[Perhaps the sandbox is why: .*"network" or "unconfined"/);
});

Deno.test("what fails by itself gets no hint", async (t) => {
  const outputs = {
    "a failed test": "AssertionError: expected 1 to be 2\n",
    "a missing program": "bash: line 1: nope: command not found\n",
    "a missing file": "cat: x: No such file or directory\n",
    "a script that is not executable": "bash: line 1: ./run.sh: Permission denied\n",
    "reading what others own": "cat: /var/log/private/x: Permission denied\n",
    "nothing printed": "",
  };
  for (const [what, output] of Object.entries(outputs)) {
    await t.step(what, () => assertEquals(hint(output), ""));
  }
});

Deno.test("no hint after a success, a signal, or outside of the sandbox", () => {
  const output = NO_NETWORK["git clone"];
  assertEquals(hint(output, { exit: { code: 0 } }), "");
  assertEquals(hint(output, { exit: { signal: "SIGKILL" } }), "");
  assertEquals(hint(output, { preset: "full-access" }), "");
  assertEquals(hint(output, { escalated: "unconfined" }), "");
  const none: ConfinementReport = { ...PARTIAL, enforcement: "none", layers: ["env-scrub"] };
  assertEquals(hint(output, { report: none }), "");
});

Deno.test("a hint is one line, and only the end of a long output is looked at", () => {
  assertEquals(hint(NO_NETWORK["git clone"]).split("\n").length, 1);
  assertEquals(hint(NO_NETWORK["git clone"] + "x\n".repeat(20_000)), "");
});

Deno.test("a command that was stopped for its time is suspected of waiting for the network, where it may", () => {
  const held = { report: FULL, preset: "workspace", escalated: undefined } as const;
  for (const command of ["npm install", "cd x && pip install y", "git push origin main", "npx -y tool"]) {
    assertMatch(timeoutHint(command, held), /^\[Perhaps the sandbox is why: there is no network/);
  }
  for (const command of ["sleep 100", "npm test", "git status"]) assertEquals(timeoutHint(command, held), "");
  assertEquals(timeoutHint("npm install", { ...held, escalated: "network" }), "");
  assertEquals(timeoutHint("npm install", { ...held, preset: "full-access" }), "");
});
