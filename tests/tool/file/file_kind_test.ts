import { assertEquals } from "@std/assert";
import { imageTypeOf, isBinary, looksLike } from "../../../src/tool/file/file_kind.ts";

const bytes = (latin1: string) => Uint8Array.from(latin1, (c) => c.charCodeAt(0));

Deno.test("imageTypeOf() knows images by their first bytes, not by a name", () => {
  const cases: [head: string, type: string | undefined][] = [
    ["\x89PNG\r\n\x1a\n\0\0", "image/png"],
    ["\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"],
    ["GIF89a\x01\0", "image/gif"],
    ["RIFF\x01\x02\x03\x04WEBPVP8 ", "image/webp"],
    ["RIFF\x01\x02\x03\x04WAVE", undefined],
    ["GIF is a format", undefined],
    ["", undefined],
  ];
  for (const [head, type] of cases) assertEquals(imageTypeOf(bytes(head)), type, head);
});

Deno.test("looksLike() names what a binary file is", () => {
  const cases: [head: string, kind: string | undefined][] = [
    ["\x7fELF\x02\x01", "ELF"],
    ["SQLite format 3\0", "an SQLite database"],
    [`${"\0".repeat(257)}ustar`, "a tar archive"],
    ["\x89PNG\r\n\x1a\n", "an image (PNG)"],
    ["h\0i\0!\0\n\0", "UTF-16 text without a byte order mark"],
    ["\0h\0i\0!\0\n", "UTF-16 text without a byte order mark"],
    ["\0\x07\0\0", undefined],
  ];
  for (const [head, kind] of cases) assertEquals(looksLike(bytes(head)), kind, head);
});

Deno.test("isBinary() is sure only of zeros and of documents that hide theirs", () => {
  assertEquals(["text\n", "MZ is a name\n", "%PDF-1.7\n", "a\0"].map((t) => isBinary(bytes(t))), [
    ...[false, false, true, true],
  ]);
});
