import fc from "fast-check";
import { assertEquals, assertThrows } from "@std/assert";
import { decodeText, UnfitFile } from "../../../src/tool/file/text_file.ts";
import {
  bomBytes,
  encodeText,
  formatNote,
  formatOf,
  lineEndsOf,
  type TextFormat,
} from "../../../src/tool/file/text_format.ts";

const formats: readonly TextFormat[] = [
  { encoding: "utf-8", bom: false },
  { encoding: "utf-8", bom: true },
  { encoding: "utf-16le", bom: true },
  { encoding: "utf-16be", bom: true },
];

Deno.test("a text survives its file in every format", () => {
  const text = fc.string({ unit: "grapheme" }).map((t) => t.replace(/^\uFEFF+/, "x"));
  fc.assert(fc.property(text, fc.constantFrom(...formats), (text, format) => {
    const bytes = encodeText(text, format);
    // An empty text in UTF-16LE that is followed by a NUL character would begin like UTF-32.
    if (format.encoding === "utf-16le" && text.startsWith("\0")) return;
    assertEquals(formatOf(bytes), format);
    assertEquals(decodeText("f", bytes), text);
  }));
});

Deno.test("what is no text in its format is refused, with a way out", () => {
  assertThrows(() => decodeText("f", Uint8Array.of(0x61, 0xe9, 0x62)), UnfitFile, "iconv");
  assertThrows(() => decodeText("f", Uint8Array.of(0xff, 0xfe, 0x61)), UnfitFile, "begins like UTF-16LE");
  assertThrows(() => decodeText("f", Uint8Array.of(0x1f, 0x8b, 8)), UnfitFile, "looks like gzip");
});

Deno.test("lineEndsOf() and formatNote() tell only what is unusual", () => {
  assertEquals(["", "a", "a\n", "a\r\nb", "a\r\nb\n"].map(lineEndsOf), [
    "none",
    "none",
    "lf",
    "crlf",
    "mixed",
  ]);
  assertEquals(formatNote({ encoding: "utf-8", bom: false }, "lf"), "");
  assertEquals(
    formatNote({ encoding: "utf-8", bom: true }, "crlf"),
    "UTF-8 with byte order mark, CRLF line ends",
  );
  assertEquals(bomBytes({ encoding: "utf-16be", bom: true }), 2);
});
