import { assertEquals } from "@std/assert";
import { matchesHost, parseHostPattern } from "../../src/config/host_pattern.ts";

Deno.test("a host pattern matches one host, or those below one", () => {
  const table: [pattern: string, url: string, matches: boolean][] = [
    ["example.org", "https://example.org/x", true],
    ["EXAMPLE.org", "https://example.ORG:8443/", true],
    ["example.org", "https://example.org./", true],
    ["example.org", "https://www.example.org/", false],
    ["example.org", "https://example.org.evil.test/", false],
    ["example.org", "https://notexample.org/", false],
    ["*.example.org", "https://a.b.example.org/", true],
    ["*.example.org", "https://example.org/", false],
    ["*.example.org", "https://notexample.org/", false],
    ["example.org:443", "https://example.org/", true],
    ["example.org:443", "http://example.org/", false],
    ["localhost:3000", "http://localhost:3000/", true],
    ["localhost:3000", "http://localhost:3001/", false],
    ["müller.de", "https://xn--mller-kva.de/", true],
    ["10.0.0.5", "http://167772165/", true],
    ["[::1]:80", "http://[0:0::1]/", true],
    ["*", "https://anything.test:1/", true],
  ];
  for (const [pattern, url, matches] of table) {
    assertEquals(matchesHost(new URL(url), parseHostPattern(pattern)!), matches, `${pattern} ${url}`);
  }
});

Deno.test("what is no host is no pattern", () => {
  for (
    const text of [
      "",
      "a b",
      "http://a",
      "a/b",
      "u@a",
      "a:x",
      "a:70000",
      "a*",
      "*a",
      "*.*",
      "::1",
      "[::1",
      "a?b",
      "a#b",
      "**",
    ]
  ) assertEquals(parseHostPattern(text), undefined, text);
});
