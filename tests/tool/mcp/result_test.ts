import { Pictures } from "../../../src/tool/mcp/pictures.ts";
import { assertEquals, assertMatch } from "@std/assert";
import { MAX_RESULT, outcomeOf, resourceText, type Source } from "../../../src/tool/mcp/result.ts";

type Result = Parameters<typeof outcomeOf>[0];
const outcome = (result: Partial<Result>, more: Partial<Source> = {}) =>
  outcomeOf({ content: [], ...result } as Result, {
    ...{ server: "s", tool: "t", hasResources: false, redact: (text: string) => text },
    ...more,
  });

/** A picture by its first bytes, `size` bytes long. */
const PNG = "\x89PNG\r\n\x1a\n";
const picture = (head = PNG, size = 20) => btoa(head.padEnd(size, "x"));
const image = (data: string, mimeType = "image/png") => ({ type: "image", data, mimeType }) as const;

Deno.test("each kind of block becomes text", () => {
  const { text } = outcome({
    content: [
      { type: "text", text: "one" },
      { type: "image", mimeType: "image/png", data: "AAAA" },
      { type: "audio", mimeType: "audio/wav", data: "AAAAAAAA" },
      { type: "resource_link", uri: "file:///a", name: "a", description: "the\nfirst" },
      { type: "resource", resource: { uri: "file:///b", text: "inside" } },
      { type: "resource", resource: { uri: "file:///c", blob: "AAAA", mimeType: "application/pdf" } },
    ],
  });
  assertEquals(text.split("\n"), [
    "one",
    "[image, image/png, 3 bytes: not shown, since it is no PNG, JPEG, GIF or WebP]",
    "[audio, audio/wav, 6 bytes: not shown]",
    "[resource file:///a (a): the first]",
    "[resource file:///b]",
    "inside",
    "file:///c [resource, application/pdf, 3 bytes: not shown]",
  ]);
});

Deno.test("structured content counts where there is no text, and is not said twice", () => {
  assertEquals(outcome({ structuredContent: { a: 1 } }).text, '{"a":1}');
  assertEquals(
    outcome({ structuredContent: { a: 1 }, content: [{ type: "text", text: "a is 1" }] }).text,
    "a is 1",
  );
});

Deno.test("an error is one; nothing is said to be nothing; secrets are taken out; the log knows whose it was", () => {
  assertEquals(outcome({ isError: true, content: [{ type: "text", text: "no" }] }).isError, true);
  assertEquals(outcome({}), {
    text: "(The tool gave no result.)",
    isError: false,
    facts: { server: "s", tool: "t" },
    images: undefined,
  });
  assertEquals(
    outcome({ content: [{ type: "text", text: "key" }] }, { redact: (t) => t.replace("key", "***") }).text,
    "***",
  );
});

Deno.test("a long result is cut; a resource of bytes is named", () => {
  const { text } = outcome({ content: [{ type: "text", text: "x".repeat(MAX_RESULT * 2) }] });
  assertMatch(text, /^x+\n\[… \d+ characters left out …\]\nx+$/);
  assertEquals(
    resourceText({ contents: [{ uri: "a", text: "t" }, { uri: "b", blob: "AAAA" }] }, new Pictures()),
    "t\n[resource, 3 bytes: not shown]",
  );
});

Deno.test("images come out beside the text, which names them; their bytes tell what they are", () => {
  const { text, images } = outcome({
    content: [
      { type: "text", text: "two views" },
      image(picture()),
      image(picture("GIF89a"), "image/svg+xml"),
      { type: "resource", resource: { uri: "a://1", blob: picture("\xff\xd8\xff"), mimeType: "image/jpeg" } },
      { type: "resource", resource: { uri: "a://2", blob: picture() } },
      { type: "resource", resource: { uri: "a://3", blob: picture(), mimeType: "application/pdf" } },
    ],
  });
  assertEquals(images, [
    { mimeType: "image/png", data: picture() },
    { mimeType: "image/gif", data: picture("GIF89a") },
    { mimeType: "image/jpeg", data: picture("\xff\xd8\xff") },
    { mimeType: "image/png", data: picture() },
  ]);
  assertEquals(text.split("\n"), [
    "two views",
    "[image 1: image/png, 20 bytes]",
    "[image 2: image/gif, 20 bytes]",
    "a://1 [image 3: image/jpeg, 20 bytes]",
    "a://2 [image 4: image/png, 20 bytes]",
    "a://3 [resource, application/pdf, 20 bytes: not shown]",
  ]);
});

Deno.test("an image that is read as a resource comes out beside the text", () => {
  const pictures = new Pictures();
  const contents = [{ uri: "a", text: "t" }, { uri: "b", blob: picture(), mimeType: "image/png" }];
  assertEquals(resourceText({ contents }, pictures), "t\n[image 1: image/png, 20 bytes]");
  assertEquals(pictures.images, [{ mimeType: "image/png", data: picture() }]);
});

Deno.test("what is no image, or too much of one, is noted in its place", () => {
  const noted = (...data: string[]) => {
    const { text, images = [] } = outcome({ content: data.map((one) => image(one)) });
    return [images.length, text.split("\n").at(-1)];
  };
  const [MiB, kept] = [1024 * 1024, "[image 1: image/png,"];
  const note = (size: number, why: string) => `[image, image/png, ${size} bytes: not shown, since ${why}]`;
  assertEquals(noted("%%%%"), [0, note(3, "its Base64 is broken")]);
  assertEquals(noted(""), [0, note(0, "it is no PNG, JPEG, GIF or WebP")]);
  assertEquals(noted(btoa("words")), [0, note(5, "it is no PNG, JPEG, GIF or WebP")]);
  assertEquals(noted(picture(PNG, 5 * MiB)), [1, `${kept} 5242880 bytes]`]);
  assertEquals(noted(picture(PNG, 5 * MiB + 1)), [0, note(5 * MiB + 1, "it has more than 5242880 bytes")]);
  assertEquals(noted(picture(PNG, 9 * MiB)), [0, note(9 * MiB, "it has more than 5242880 bytes")]);
  const many = note(20, "at most 8 images of 16777216 bytes together are shown");
  assertEquals(noted(...Array(9).fill(picture())), [8, many]);
  const [fours, one] = [Array(4).fill(picture(PNG, 4 * MiB)), picture()];
  assertEquals(noted(...fours, one), [4, many]);
  const wrapped = picture().replace(/(.{8})/g, "$1\r\n");
  assertEquals(outcome({ content: [image(wrapped)] }).images, [{ mimeType: "image/png", data: picture() }]);
});

Deno.test("a link says what it points to, and how to read it where that can be", () => {
  const content = [
    { type: "resource_link", uri: "a://1", name: "one", mimeType: "text/plain", size: 12 } as const,
    { type: "resource_link", uri: "a://2", name: "two" } as const,
  ];
  const links = "[resource a://1 (one, text/plain, 12 bytes)]\n[resource a://2 (two)]";
  assertEquals(outcome({ content }).text, links);
  assertEquals(
    outcome({ content }, { hasResources: true }).text,
    `${links}\n[mcp_resource reads a linked resource: server "s", and its uri.]`,
  );
  assertEquals(outcome({ content: [{ type: "text", text: "x" }] }, { hasResources: true }).text, "x");
});
