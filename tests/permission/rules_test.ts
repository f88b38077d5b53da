import { assertEquals, assertThrows } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { readCommandLine } from "../../src/permission/command_line.ts";
import {
  isAllowed,
  matchEdit,
  matchFetch,
  matchLine,
  matchMcp,
  parseRules,
} from "../../src/permission/rules.ts";

Deno.test("parseRules() names the rule that is wrong, and how", () => {
  const cases: [string, string][] = [
    ["", "names no command"],
    ["*", "names no command"],
    ["npm * test", "is no plain word"],
    ["npm run b*", "is no plain word"],
    ["a && b", "is no plain word"],
    ["foo 'x", "quote is not closed"],
    ["edit:", "a path is"],
    ["edit:**/x", "a path is"],
    ["mcp:server", "a tool is"],
    ["fetch:", "a host is"],
    ["fetch:https://a.test/", "a host is"],
    ["fetch:a.*", "a host is"],
  ];
  for (const [rule, why] of cases) {
    const e = assertThrows(() => parseRules({ deny: ["ls", rule] }), AgentError, why);
    assertEquals(e.message.includes("deny[1]"), true);
  }
});

Deno.test("an allow rule covers one simple command, and nothing beside it", async () => {
  const { allow } = parseRules({ allow: ["npm test", "cargo *", "foo 'a b'"] });
  const table: [string, boolean][] = [
    ["npm test", true],
    ["npm test x", false],
    ["npm test > x", false],
    ["X=1 npm test", false],
    ["cargo", true],
    ["cargo run --x", true],
    ["./cargo run", false],
    ["foo 'a b'", true],
    ["foo a b", false],
  ];
  for (const [text, allowed] of table) {
    const { commands } = await readCommandLine(text);
    assertEquals(isAllowed(commands[0]!, allow), allowed, text);
  }
});

Deno.test("a deny rule is met wherever its command is hidden", async () => {
  const { deny } = parseRules({ deny: ["git push *", "rm -rf *"] });
  const table: [string, "yes" | "maybe" | undefined][] = [
    ["git push", "yes"],
    ["git push origin main", "yes"],
    ["git pull", undefined],
    ["ls; git push", "yes"],
    ["ls | xargs git push", "yes"],
    ["git -c a=b push", "yes"],
    ["git -C sub --no-pager push", "yes"],
    ["sudo git push", "yes"],
    ["bash -c 'git push'", "yes"],
    ["echo $(git push)", "yes"],
    ["/usr/bin/git push", "yes"],
    ["g'i't p\\ush", "yes"],
    ["find . -exec rm -rf {} +", "yes"],
    ["git $x", "maybe"],
    ["git pus$x", "maybe"],
    ["git st$x", undefined],
    ["$x push", "maybe"],
    ["eval $x", "maybe"],
    ["git push | $x", "yes"],
    ["source a; git push", "yes"],
    ["rm -r x", undefined],
  ];
  for (const [text, certainty] of table) {
    assertEquals(matchLine(await readCommandLine(text), deny)?.certainty, certainty, text);
  }
  assertEquals(matchLine(undefined, deny)?.certainty, "maybe");
});

Deno.test("edit rules speak of a file or of all below a directory", () => {
  const { deny } = parseRules({ deny: ["edit:docs/**", "edit:a.txt", "edit:/etc/**"] });
  const met = (path: string) => matchEdit(path, "/w", deny)?.source;
  assertEquals(met("/w/docs/x/y"), "edit:docs/**");
  assertEquals(met("/w/src/../docs/x"), "edit:docs/**");
  assertEquals(met("/w/docs2/x"), undefined);
  assertEquals(met("/w/a.txt"), "edit:a.txt");
  assertEquals(met("/etc/passwd"), "edit:/etc/**");
});

Deno.test("mcp rules speak of a tool or of a whole server", () => {
  const { ask } = parseRules({ ask: ["mcp:a/x", "mcp:b/*"] });
  assertEquals(matchMcp("a", "x", ask)?.source, "mcp:a/x");
  assertEquals(matchMcp("a", "y", ask), undefined);
  assertEquals(matchMcp("b", "y", ask)?.source, "mcp:b/*");
});

Deno.test("fetch rules speak of a host, or of those below it", () => {
  const { deny } = parseRules({ deny: ["fetch:a.test", "fetch:*.b.test", "fetch:c.test:8080"] });
  const met = (url: string) => matchFetch(url, deny)?.source;
  assertEquals(met("https://a.test:1/x"), "fetch:a.test");
  assertEquals(met("https://www.a.test/"), undefined);
  assertEquals(met("https://x.b.test/"), "fetch:*.b.test");
  assertEquals(met("https://b.test/"), undefined);
  assertEquals(met("http://c.test:8080/"), "fetch:c.test:8080");
  assertEquals(met("http://c.test/"), undefined);
});
