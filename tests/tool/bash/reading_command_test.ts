import { assertEquals } from "@std/assert";
import { readingOf } from "../../../src/tool/bash/reading_command.ts";

type Table = Record<string, readonly [command: string, ...paths: string[]][]>;

/** Paths are told from `/w`, with `:LINE` where there is one. */
const READ: Table["read"] = [
  ["cat f", "/w/f"],
  ["  cat   f  ", "/w/f"],
  ["cat -n src/a.ts", "/w/src/a.ts"],
  ["cat a b", "/w/a", "/w/b"],
  ["cat /etc/hosts", "/etc/hosts"],
  ["cat ../up ./here", "/up", "/w/here"],
  ["cat -- -n", "/w/-n"],
  ["cat 'a b' \"c d\" e\\ f", "/w/a b", "/w/c d", "/w/e f"],
  ["cat 'a;rm -rf *'", "/w/a;rm -rf *"],
  ["cat '$X' '`id`'", "/w/$X", "/w/`id`"],
  ["cat __init__.py", "/w/__init__.py"],
  ["cat größe.md 日本語", "/w/größe.md", "/w/日本語"],
  ["/bin/cat f", "/w/f"],
  ["/usr/bin/head f", "/w/f"],
  ["cat f 2>/dev/null", "/w/f"],
  ["cat f 2>&1", "/w/f"],
  ["cat f # the file", "/w/f"],
  ["cat f;", "/w/f"],
  ["nl -ba f", "/w/f"],
  ["head f", "/w/f"],
  ["head -20 f", "/w/f"],
  ["head -n 20 f", "/w/f"],
  ["head --lines=20 f", "/w/f"],
  ["tail -n +50 f", "/w/f"],
  ["sed -n '10,20p' f", "/w/f:10"],
  ["sed -n 10p f", "/w/f:10"],
  ["sed -n '10,$p' f", "/w/f:10"],
  ["sed -n -e '5,6p' -e '9p' f g", "/w/f:5", "/w/g:5"],
  ["sed -n '10,20p;20q' f", "/w/f:10"],
  ["sed --quiet '/a/,/b/p' f", "/w/f"],
  ["sed -n '$p' f", "/w/f"],
  ["sed -n 0p f", "/w/f"],
  ["sed -n 99999999999999999999p f", "/w/f"],
];

const SEARCH: Table["search"] = [
  ["ls"],
  ["ls -la"],
  ["ls -la src test", "/w/src", "/w/test"],
  ["tree -L 2 src", "/w/src"],
  ["rg pattern"],
  ["rg -n 'a|b*' src", "/w/src"],
  ["rg -e a -e b src", "/w/src"],
  ["rg -g '*.ts' --files"],
  ["rg --files src", "/w/src"],
  ["rg -- -x src", "/w/src"],
  ["grep -n x f", "/w/f"],
  ["grep -rn x"],
  ["grep -r x src", "/w/src"],
  ["grep -e x -- -f", "/w/-f"],
  ["egrep 'a|b' f", "/w/f"],
  ["find"],
  ["find . -name '*.ts'", "/w"],
  ["find src test -type f", "/w/src", "/w/test"],
  ["find -L src ! -name x", "/w/src"],
  ["find -name x"],
  ["fd x"],
  ["fd -e ts x src", "/w/src"],
  ["git grep -n x"],
];

const EXECUTE = [
  // compound
  "cat f; id",
  "cat f && id",
  "cat f || id",
  "cat f | head",
  "cat f | sh",
  "cat f\nid",
  "cat f &",
  "(cat f)",
  "{ cat f; }",
  "! cat f",
  "time cat f",
  "if cat f; then id; fi",
  "cat() { id; }; cat f",
  "alias cat=id; cat f",
  // uncertain
  "cat *",
  "cat f?",
  "cat {a,b}",
  "cat $X",
  'cat "$X"',
  "cat $(id)",
  "cat `id`",
  "cat <(id)",
  "cat ~/f",
  "cat $'\\x66'é$'\\xff'",
  "rg $X src",
  "ls *.ts",
  "cat link/../f",
  "cat a\u202Eb",
  "cat a\u00A0b",
  "cat 'f",
  "cat ''",
  // input and output
  "cat",
  "cat -",
  "cat < f",
  "cat f > g",
  "cat f >> g",
  "cat f &> g",
  "cat <<E\nf\nE",
  "cat <<< f",
  "grep x",
  "grep x -",
  "rg x -",
  "grep -r x > f",
  "tail",
  // more than reading
  "sed -i 's/a/b/' f",
  "sed -n -i 10p f",
  "sed 's/a/b/' f",
  "sed -n 's/a/b/p' f",
  "sed -n 'w out' f",
  "sed -n '1e id' f",
  "sed -n '10,20p'",
  "sed -n -f script f",
  "find . -delete",
  "find . -exec cat {} +",
  "find . -fprint out",
  "rg --pre id x",
  "rg -z x",
  "rg",
  "fd -x id",
  "fd x --exec id",
  "tree -o out",
  "git grep -O x",
  "git show HEAD:f",
  "git diff",
  "git -c core.pager=id grep x",
  "tail -f f",
  "tail --follow f",
  // other programs, and ways around the name
  "X=1 cat f",
  "LD_PRELOAD=./x cat f",
  "command cat f",
  "env cat f",
  "sudo cat f",
  "./cat f",
  "bin/cat f",
  "catx f",
  "cat.sh f",
  "cat=f",
  "$CAT f",
  "bash -c 'cat f'",
  "xargs cat f",
  "cat --help",
  "ls --version",
  "cat --unknown f",
  "less f",
  "npm test",
  "",
];

const show = (found: Awaited<ReturnType<typeof readingOf>>) =>
  found && [found.kind, ...found.locations.map(({ path, line }) => line ? `${path}:${line}` : path)];

Deno.test("readingOf() tells plain reading, with the files and the first line", async (t) => {
  for (const [kind, cases] of [["read", READ], ["search", SEARCH]] as const) {
    for (const [command, ...paths] of cases!) {
      await t.step(`${kind}: ${command}`, async () => {
        assertEquals(show(await readingOf(command, "/w")), [kind, ...paths]);
      });
    }
  }
});

Deno.test("readingOf() takes everything else for what it is: a command to run", async (t) => {
  for (const command of EXECUTE) {
    await t.step(JSON.stringify(command), async () => {
      assertEquals(show(await readingOf(command, "/w")), undefined);
    });
  }
});

Deno.test("readingOf() names so many places and no more", async () => {
  const names = Array.from({ length: 200 }, (_, i) => `f${i}`);
  assertEquals((await readingOf(`cat ${names.join(" ")}`, "/w"))?.locations.length, 50);
  assertEquals(await readingOf(`cat ${"x".repeat(70_000)}`, "/w"), undefined);
});
