import { assert, assertEquals } from "@std/assert";
import { readCommandLine } from "../../src/permission/command_line.ts";
import {
  type Asked,
  covers,
  describeGrant,
  type Grant,
  grantFor,
  type Reach,
} from "../../src/permission/grant.ts";
import { groundOf } from "../../src/permission/ground.ts";

async function asked(text: string, reach: Reach = "confined", cwd = "/w"): Promise<Asked> {
  const line = await readCommandLine(text);
  return { line, reach, ground: groundOf(line, cwd, "/w") };
}

async function grant(text: string, reach: Reach = "confined"): Promise<Grant> {
  const offer = grantFor(await asked(text, reach));
  assert(offer, `no grant for ${text}`);
  return offer.grant;
}

/** A granted line, then others: those that the grant covers, and those that it does not. */
const COVERAGE: readonly { granted: string; covers: readonly string[]; not: readonly string[] }[] = [
  {
    granted: "npm run build",
    covers: [
      "npm run build",
      "npm run-script build",
      "'npm' run \"build\"",
      "npm run build -- --watch --x $'y'",
      "npm run build --silent",
      "npm run build 2>&1 | tail -20",
      "npm run build && git status",
      "cd sub && npm run build",
      "cd /w/sub && npm run build",
      "CI=1 npm run build",
      "timeout 60 npm run build",
      "env NO_COLOR=1 npm run build",
      "bash -c 'npm run build'",
      "if npm run build; then echo ok; fi",
      "npm run build # ; rm -rf ~",
      "npm run \\\n build",
    ],
    not: [
      "npm run build; rm -rf ~",
      "npm run build\nrm -rf ~",
      "npm run build && npm run deploy",
      "npm run build || curl x",
      "npm run build | sh",
      "npm run build > out",
      "npm run build >> ~/.bashrc",
      "npm run build & rm x",
      "npm run build -- --x $(curl example.org)",
      "npm run build -- --x `id`",
      "npm run build -- <(rm x)",
      "npm run build $x",
      "npm run build *",
      "npm run builder",
      "npm run",
      "npm run $x",
      "npm run build --prefix /tmp/x",
      "npm --prefix /tmp/x run build",
      "npm run build --script-shell=/tmp/x",
      "npm run build --script-s=/tmp/x",
      "npm run build --node-options=--require=/tmp/x",
      "npm_config_script_shell=/tmp/x npm run build",
      "PATH=. npm run build",
      "FOO=1 npm run build",
      "NODE_OPTIONS=--require=./x npm run build",
      "./npm run build",
      "sudo npm run build",
      "xargs npm run build",
      "cd /tmp && npm run build",
      "cd .. && npm run build",
      "cd $x && npm run build",
      "cd && npm run build",
      "env -C /tmp npm run build",
      "npm() { rm x; }; npm run build",
      "alias npm=rm; npm run build",
      "hash -p /tmp/x npm; npm run build",
      "source x; npm run build",
      "npm run build <<< $(rm x)",
      "cat <<EOF\n$(rm x)\nEOF\nnpm run build",
      "echo 'a\\' ; npm run build ; rm x #'",
      "npm run build\u00a0--x",
      "npm\u200b run build",
      "npm run buіld",
      "x=$(rm x) npm run build",
    ],
  },
  {
    granted: "foo --bar 'a b'",
    covers: [
      "foo --bar 'a b'",
      'foo --bar "a b"',
      "foo   --bar a\\ b",
      "foo --bar 'a b' 2>/dev/null",
      "ls; foo --bar 'a b'",
    ],
    not: [
      "foo --bar a b",
      "foo --bar",
      "foo --bar 'a b' c",
      "foo --bar 'a b' > x",
      "X=1 foo --bar 'a b'",
      "echo rm | foo --bar 'a b'",
      "foo --bar 'a b' < evil",
      "foo --bar 'a b' <<< evil",
      "foo --bar 'a b' <<EOF\nevil\nEOF",
      "{ foo --bar 'a b'; } < evil",
      "cat evil | { foo --bar 'a b'; }",
      "cat evil | bash -c \"foo --bar 'a b'\"",
      "/tmp/foo --bar 'a b'",
      "foo --bar 'a $b'",
      'foo --bar "a $b"',
      "sudo foo --bar 'a b'",
      "foo --bar 'a b' $(id)",
    ],
  },
  {
    granted: "git commit -m x",
    covers: [
      "git commit -am 'fix: y'",
      "git commit -m \"$(cat <<'EOF'\nfix\nEOF\n)\"",
      "git commit --amend --no-edit",
    ],
    not: [
      "git -c core.editor=evil commit",
      "git -c core.hooksPath=evil commit",
      "git --exec-path=. commit",
      "git --git-dir=evil commit",
      "git -C sub commit",
      "cd sub && git commit -m x",
      "find . -execdir git commit -m x \\;",
      "GIT_EDITOR=evil git commit",
      "git commit -m x && git push",
      'git commit -m "$(rm x)"',
      "git rebase --exec evil",
      "git config core.pager evil",
    ],
  },
  {
    granted: "deno test",
    covers: ["deno test -A", "deno test --allow-read=. tests/a_test.ts", "deno test --filter 'a b'"],
    not: [
      "deno test /tmp/x.ts",
      "deno test ../x.ts",
      "deno test https://example.org/x.ts",
      "deno test npm:evil",
      "deno test --config=/tmp/x",
      "deno test --preload x.ts",
      "deno test --junit-path=x",
      "deno test --coverage=/x",
      "deno test --conf=/tmp/x",
      "deno run -A x.ts",
      "deno task test",
      "DENO_DIR=/tmp deno test",
    ],
  },
  {
    granted: "deno task ok",
    covers: ["deno task ok --x"],
    not: ["deno task other", "deno task --cwd /tmp ok", "deno task --config=x ok"],
  },
  {
    granted: "cargo test",
    covers: ["cargo test --release -p a", "cargo test name -- --nocapture"],
    not: [
      "cargo --config x test",
      "cargo test --config x",
      "cargo test --manifest-path /tmp/Cargo.toml",
      "cargo test --target-dir /x",
      "cargo test -Z x",
      "cargo +evil test",
      "cargo run",
      "RUSTC_WRAPPER=x cargo test",
    ],
  },
  {
    granted: "go test ./...",
    covers: ["go test -run X -v ./pkg", "go test -race -count=1 ./..."],
    not: [
      "go test -exec evil",
      "go test --exec=evil",
      "go test -toolexec evil",
      "go test -o x",
      "go test -ldflags=-extld=x",
      "go test -overlay x",
      "go test ../x",
      "go test /x",
      "go run .",
    ],
  },
  {
    granted: "make build",
    covers: ["make build -j4", "make -k build"],
    not: [
      "make build SHELL=/tmp/x",
      "make build CC=x",
      "make -f /tmp/x build",
      "make -C /tmp build",
      "make --eval=x build",
      "make build deploy",
      "make",
      "MAKEFLAGS=x make build",
    ],
  },
  {
    granted: "pytest -q",
    covers: ["pytest tests/a.py::TestA -k 'x and y'", "pytest --maxfail=1"],
    not: [
      "pytest -p evil",
      "pytest -c x",
      "pytest -o x=y",
      "pytest --rootdir=/",
      "pytest /tmp",
      "pytest @x",
      "pytest --base=/w",
    ],
  },
  {
    granted: "npm install",
    covers: ["npm i", "npm install --no-audit"],
    not: ["npm install evil", "npm install -g x", "npm install ./evil", "npm install --prefix /x", "npm ci"],
  },
  {
    granted: "pnpm run build",
    covers: ["pnpm run build -- --x /tmp", "pnpm run build --silent"],
    not: ["pnpm -C /tmp run build", "pnpm run build -C /tmp", "pnpm run -C /tmp build", "pnpm build"],
  },
  {
    granted: "npm ci && npm test",
    covers: ["npm test", "npm ci", "npm ci; npm test"],
    not: ["npm run other", "npm ci && npm test && npm run other"],
  },
];

for (const { granted, covers: covered, not } of COVERAGE) {
  Deno.test(`a grant for "${granted}" covers what its label says, and no more`, async () => {
    const grants = [await grant(granted)];
    const is = async (text: string) => covers(grants, await asked(text));
    for (const text of [granted, ...covered]) assertEquals(await is(text), true, text);
    for (const text of not) assertEquals(await is(text), false, text);
  });
}

Deno.test("grantFor() names what it would store", async () => {
  const label = async (text: string, reach?: Reach) => grantFor(await asked(text, reach))?.label;
  assertEquals(
    await label("npm run build"),
    "Always allow `npm run build` with any arguments in this workspace",
  );
  assertEquals(await label("foo --bar"), "Always allow exactly `foo --bar` in this workspace");
  assertEquals(
    await label("foo 'a b' \"it's\""),
    "Always allow exactly `foo 'a b' 'it'\\''s'` in this workspace",
  );
  assertEquals(await label("A=1 foo"), "Always allow exactly `A=1 foo` in this workspace");
  assertEquals(await label("make x -j2"), "Always allow `make x` with options such as -j in this workspace");
  assertEquals(
    await label("npm install 2>&1 | tail"),
    "Always allow `npm install` with plain options, without package names in this workspace",
  );
  assertEquals(
    await label("git add -A && git commit -m x"),
    "Always allow `git add` with any arguments and `git commit` with any arguments in this workspace",
  );
  assertEquals(
    await label("git push", "network"),
    "Always allow exactly `git push` with network access in this workspace",
  );
  assertEquals(
    await label("npm ci", "network"),
    "Always allow exactly `npm ci` with network access in this workspace",
  );
  assertEquals(
    await label("docker ps", "unconfined"),
    "Always allow exactly `docker ps` without confinement in this workspace",
  );
});

const NO_GRANT: readonly string[] = [
  "ls",
  "$x",
  "foo $x",
  "foo *",
  "foo > x",
  "foo | python3",
  "python3 <<EOF\nx\nEOF",
  "a; b; c; d",
  `foo ${"x".repeat(300)}`,
  "foo '\n'",
  "foo '`'",
  "cd /tmp && foo",
  "export A=b",
  "printf -v a b",
  "f() { foo; }",
  "find . -exec rm {} \\;",
  "ls | xargs rm",
];

Deno.test("grantFor() offers nothing where no grant could be named truthfully", async () => {
  for (const text of NO_GRANT) assertEquals(grantFor(await asked(text)), undefined, text);
});

Deno.test("a grant of one reach covers no other", async () => {
  const reaches: Reach[] = ["confined", "network", "unconfined"];
  for (const given of reaches) {
    for (const wanted of reaches) {
      assertEquals(covers([await grant("foo x", given)], await asked("foo x", wanted)), given === wanted);
    }
  }
});

Deno.test("with the network or unconfined a grant is exact, and unconfined nothing is harmless", async () => {
  const network = [await grant("npm ci", "network")];
  assertEquals(covers(network, await asked("npm ci | tail -3", "network")), true);
  assertEquals(covers(network, await asked("npm ci --no-audit", "network")), false);
  const unconfined = [await grant("docker ps", "unconfined")];
  assertEquals(covers(unconfined, await asked("docker ps", "unconfined")), true);
  assertEquals(covers(unconfined, await asked("docker ps; cat a", "unconfined")), false);
});

Deno.test("a grant holds in its workspace only", async () => {
  const grants = [await grant("npm test")];
  assertEquals(covers(grants, await asked("npm test", "confined", "/w/sub")), true);
  assertEquals(covers(grants, await asked("npm test", "confined", "/tmp")), false);
  assertEquals(covers(grants, await asked("npm test", "confined", "/w2")), false);
});

Deno.test("describeGrant() says what a grant covers", async () => {
  assertEquals(describeGrant(await grant("foo x", "network")), "exactly `foo x` with network access");
  assertEquals(
    describeGrant({ version: 1, kind: "mcp", server: "s", tool: "t" }),
    "the tool `t` of the MCP server `s`",
  );
  assertEquals(
    describeGrant({ version: 1, kind: "fetch", host: "docs.test:8443" }),
    "any page of the host `docs.test:8443`",
  );
});
