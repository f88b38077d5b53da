import { assertEquals } from "@std/assert";
import { globFilter, globSearch } from "../../../src/tool/search/globs.ts";

const PATHS = [
  ...[
    "a.ts",
    "a.js",
    "src/a.ts",
    "src/b/c.ts",
    "lib/x.tsx",
    "src/.env",
    "app/[id]/page.tsx",
    "app/i/page.tsx",
  ],
  ...["(group)/p.ts", "#h.ts", "!x.ts", "two words/a b.ts", "line\nbreak.ts", "🦕.ts"],
];

/** Which of the paths of `/w` a glob finds. */
function found(glob: string, base = "/w"): string[] {
  const { root, matching } = globSearch(glob, base);
  const below = root === "/w" ? "" : `${root.slice("/w/".length)}/`;
  const regex = new RegExp(matching);
  return PATHS.filter((path) => path.startsWith(below) && regex.test(path.slice(below.length)));
}

Deno.test("globSearch() reads globs as models write them", () => {
  const cases: [glob: string, paths: string[]][] = [
    ["*.js", ["a.js"]],
    ["**/*.tsx", ["lib/x.tsx", "app/[id]/page.tsx", "app/i/page.tsx"]],
    ["*.tsx", ["lib/x.tsx", "app/[id]/page.tsx", "app/i/page.tsx"]],
    ["src/*.ts", ["src/a.ts"]],
    ["./src/*.ts", ["src/a.ts"]],
    ["/w/src/*.ts", ["src/a.ts"]],
    ["src/**/*.ts", ["src/a.ts", "src/b/c.ts"]],
    ["src/**", ["src/a.ts", "src/b/c.ts", "src/.env"]],
    ["src/", ["src/a.ts", "src/b/c.ts", "src/.env"]],
    ["{src,lib}/*.{ts,tsx}", ["src/a.ts", "lib/x.tsx"]],
    ["{src/b,lib}/*", ["src/b/c.ts", "lib/x.tsx"]],
    ["src/[ab].ts", ["src/a.ts"]],
    ["app/[id]/page.tsx", ["app/[id]/page.tsx", "app/i/page.tsx"]],
    ["page.tsx", ["app/[id]/page.tsx", "app/i/page.tsx"]],
    ["(group)/*.ts", ["(group)/p.ts"]],
    ["#h.ts", ["#h.ts"]],
    ["!x.ts", ["!x.ts"]],
    ["two words/*", ["two words/a b.ts"]],
    ["line*", ["line\nbreak.ts"]],
    ["🦕*", ["🦕.ts"]],
    ["src", []],
    ["nothing/**/*.ts", []],
    ["[", []],
    ["{a", []],
  ];
  for (const [glob, paths] of cases) assertEquals(found(glob).sort(), paths.sort(), glob);
  assertEquals(found("**").length, PATHS.length);
  assertEquals(found("**/*").length, PATHS.length);
});

Deno.test("globSearch() begins at the directories that a glob leads with", () => {
  const rootOf = (glob: string) => globSearch(glob, "/w/base").root;
  assertEquals(rootOf("**/*.ts"), "/w/base");
  assertEquals(rootOf("a/b/*.ts"), "/w/base/a/b");
  assertEquals(rootOf("a/{b,c}/d/*.ts"), "/w/base/a");
  assertEquals(rootOf("../x/*.ts"), "/w/x");
  assertEquals(rootOf("/etc/*.conf"), "/etc");
  assertEquals(rootOf("/*.txt"), "/");
  assertEquals([rootOf("."), rootOf(".."), rootOf("a/..")], ["/w/base", "/w", "/w/base"]);
});

Deno.test("globFilter() narrows by what is relative to the searched place, to the workspace, or absolute", () => {
  const matches = (glob: string, path: string, root = "/w/src") =>
    new RegExp(globFilter(glob, root, "/w").matching!).test(path);
  for (
    const glob of ["*.ts", "**/*.ts", "b/*.ts", "./b/*.ts", "src/b/*.ts", "/w/src/b/*.ts", "b/", "*.js,*.ts"]
  ) {
    assertEquals([matches(glob, "b/c.ts"), matches(glob, "d/e.md")], [true, false], glob);
  }
  assertEquals(matches("src/*.ts", "c.ts", "/w"), false);
  assertEquals(matches("src/*.ts", "src/c.ts", "/w"), true);
});

Deno.test("globFilter() tells ripgrep of plain names only, and of what is left out", () => {
  const names = (glob: string) => globFilter(glob, "/w", "/w").names;
  assertEquals([names("*.{ts,tsx}"), names("src/**/*.ts"), names("*.a,*.b")], [
    "*.{ts,tsx}",
    "*.ts",
    "{*.a,*.b}",
  ]);
  for (const glob of ["src/**", "**", "[ab].ts", "{src/a,lib/b}.ts", "include:x", "a\\*"]) {
    assertEquals(names(glob), undefined, glob);
  }
  assertEquals(globFilter("!*.lock", "/w", "/w"), { without: "*.lock" });
});
