import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { promptParts } from "../../src/acp/prompt.ts";
import { AgentError } from "../../src/errors.ts";

const SEES = { model: "work/eyes", sees: true };
const BLIND = { model: "work/mole", sees: false };

const bytes = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));
const PNG = "\x89PNG\r\n\x1a\n";
/** Begins like a PNG and has this many bytes. */
const png = (size = 100) => bytes(PNG.padEnd(size, "\0")).toBase64();
const image = (data = png(), more: object = {}) => ({ type: "image", mimeType: "image/png", data, ...more });
const blob = (data: string, mimeType?: string, uri = "file:///w/a") => ({
  type: "resource",
  resource: { uri, blob: data, mimeType },
});

/** The message that a prompt is refused with. */
function refusal(blocks: readonly unknown[], eyes = SEES): string {
  const error = assertThrows(() => promptParts(blocks, eyes), AgentError);
  assertEquals(error.kind, "invalid-params");
  return error.message;
}

Deno.test("blocks become parts in their order", () => {
  assertEquals(
    promptParts([
      { type: "text", text: "a" },
      { type: "resource_link", uri: "file:///w/b.ts", name: "b.ts" },
      { type: "resource_link", uri: "file:///w/b.ts", name: "b.ts", title: "The b", description: null },
      { type: "resource", resource: { uri: "file:///w/c.ts", text: "c", mimeType: null } },
      image(png(), { uri: "file:///w/d.png" }),
      { type: "text", text: "e", annotations: { audience: ["user"] }, _meta: {} },
    ], SEES),
    [
      { type: "text", text: "a" },
      { type: "link", uri: "file:///w/b.ts", name: "b.ts" },
      { type: "link", uri: "file:///w/b.ts", name: "The b" },
      { type: "context", uri: "file:///w/c.ts", text: "c" },
      { type: "image", mimeType: "image/png", data: png(), uri: "file:///w/d.png" },
      { type: "text", text: "e" },
    ],
  );
  assertEquals(promptParts([], SEES), []);
});

Deno.test("an image is what its bytes say, whatever the client calls it", () => {
  const jpeg = bytes("\xff\xd8\xff\xe0....").toBase64();
  const [part] = promptParts([{ type: "image", mimeType: "image/png", data: jpeg }], SEES);
  assertEquals(part, { type: "image", mimeType: "image/jpeg", data: jpeg });
});

const REFUSED: readonly (readonly [what: string, block: unknown, ...said: string[]])[] = [
  [
    "sound",
    { type: "audio", mimeType: "audio/wav", data: "AAAA" },
    "(audio)",
    "sound is not taken",
    "resource_link",
  ],
  ["an unknown block", { type: "x" }, "(x)", "no such content block"],
  ["a block without a type", { text: "a" }, "no such content block"],
  ["what is no block", "text", "no such content block"],
  ["null", null, "no such content block"],
  ["a text that is none", { type: "text", text: 1 }, "(text)", "`text` must be a text"],
  ["a link without a URI", { type: "resource_link", name: "a" }, "(resource_link)", "`uri`"],
  ["a link without a name", { type: "resource_link", uri: "file:///a" }, "(resource_link)", "`name`"],
  ["a resource without content", { type: "resource", resource: { uri: "file:///a" } }, "`resource.blob`"],
  ["no resource", { type: "resource", resource: null }, "(resource)", "`resource.uri`"],
  ["an image that is no Base64", image("no base64!"), "(image)", "no Base64"],
  ["bytes that are no Base64", blob("%%%%"), "(resource)", "no Base64"],
  ["an image of another kind", image(bytes("BM......").toBase64()), "(image)", "PNG, JPEG, GIF or WebP"],
  ["an image that says it is one", image("AAAA"), "(image)", "PNG, JPEG, GIF or WebP"],
  ["a huge image", image(png(5 * 1024 * 1024 + 1)), "(image)", "5242881 bytes", "at most 5242880", "smaller"],
  ["an image that is not even decoded", image("A".repeat(9_000_000)), "(image)", "6750000 bytes"],
];

for (const [what, block, ...said] of REFUSED) {
  Deno.test(`${what} is refused, naming the block`, () => {
    const message = refusal([{ type: "text", text: "a" }, block]);
    for (const words of ["prompt[1]", ...said]) assertStringIncludes(message, words);
  });
}

Deno.test("an image is taken up to 5 MiB, and as many as fit into one request", () => {
  const large = image(png(5 * 1024 * 1024));
  assertEquals(promptParts([large, large, large], SEES).length, 3);
  assertStringIncludes(refusal([large, large, large, large]), "prompt[3] (image): the images of one prompt");
});

Deno.test("an image for a model that takes none is refused, naming the model and what to do", () => {
  const message = refusal([{ type: "text", text: "a" }, image()], BLIND);
  for (const words of ["prompt[1] (image)", "work/mole takes no images", '"vision": true']) {
    assertStringIncludes(message, words);
  }
});

Deno.test("where no model is set up an image is taken: the turn says what is missing", () => {
  assertEquals(promptParts([image()], undefined).map((part) => part.type), ["image"]);
});

Deno.test("bytes that are text in UTF-8 are read as text, whatever type they are said to have", () => {
  for (const type of ["text/plain", "application/json", undefined]) {
    const data = new TextEncoder().encode("ä\n").toBase64();
    assertEquals(promptParts([blob(data, type)], BLIND), [{
      type: "context",
      uri: "file:///w/a",
      text: "ä\n",
    }]);
  }
});

Deno.test("bytes that are an image are one to a model that sees; another is told of them", () => {
  assertEquals(promptParts([blob(png(), "image/png")], SEES).map((p) => p.type), ["image"]);
  assertEquals(promptParts([blob(png(), "image/png")], BLIND), [
    { type: "binary", uri: "file:///w/a", mimeType: "image/png", size: 100 },
  ]);
  assertEquals(promptParts([blob(png(6_000_000))], SEES), [
    { type: "binary", uri: "file:///w/a", mimeType: "image/png", size: 6_000_000 },
  ]);
});

Deno.test("other bytes are told of by type and size", () => {
  for (const content of ["%PDF-1.7", "\xff\xfe\0", "\0\0\0"]) {
    const [part] = promptParts([blob(bytes(content).toBase64(), "application/pdf")], SEES);
    assertEquals(part, {
      type: "binary",
      uri: "file:///w/a",
      mimeType: "application/pdf",
      size: content.length,
    });
  }
});

Deno.test("texts of a resource are bounded, URIs and names too", () => {
  const uri = `data:text/plain,${"x".repeat(1_000_000)}`;
  const parts = promptParts([
    { type: "resource_link", uri, name: "n".repeat(100_000) },
    { type: "resource", resource: { uri, text: "y".repeat(1_000_000) } },
    blob(bytes("z".repeat(1_000_000)).toBase64(), "t".repeat(100_000), uri),
    image(png(), { uri }),
  ], SEES);
  assert(JSON.stringify(parts).length < 200_000, "the log stays small");
});
