import { assertEquals } from "@std/assert";
import { withImages } from "../../src/model/images.ts";
import type { ModelMessage } from "../../src/model/model.ts";
import { openModel } from "../../src/model/providers.ts";
import { ask, configOf, fixture, KEY, modelAt, read, serve, sse } from "./support.ts";

const image = (data = "AAAA") => ({ mimeType: "image/png", data });
const call = (...ids: string[]): ModelMessage => ({
  role: "assistant",
  text: "",
  calls: ids.map((id) => ({ id, name: "read", args: "{}" })),
});
const result = (callId: string, ...images: ReturnType<typeof image>[]): ModelMessage => ({
  role: "tool",
  callId,
  name: "read",
  text: `${callId}.png: PNG image, 3 bytes.`,
  isError: false,
  ...(images.length > 0 ? { images } : {}),
});

/** Two pictures and a text by calls of one reply, then one more reply. */
const HISTORY: readonly ModelMessage[] = [
  { role: "user", text: "Look" },
  call("a", "b", "c"),
  result("a", image()),
  result("b"),
  result("c", image("BBBB")),
  { role: "assistant", text: "Nice.", calls: [] },
];

type Wire = { role: string; content: unknown; tool_call_id?: string };

async function sent(
  kind: "deepseek" | "openai-compatible",
  model: string,
  vision?: boolean,
  messages: readonly ModelMessage[] = HISTORY,
): Promise<Wire[]> {
  const reply = await fixture("reasoning-field.sse");
  let text = "";
  await using server = serve(async (request) => {
    text = await request.text();
    return sse(reply);
  });
  const config = {
    ...configOf({ work: { kind, apiKey: KEY, baseURL: server.baseURL } }),
    models: vision === undefined ? {} : { [model]: { vision } },
  };
  await read(await openModel({ provider: "work", model }, config), ask("", { messages, tools: [] }));
  return JSON.parse(text).messages;
}

const LABELS = [
  '[Image of the tool result "a.png: PNG image, 3 bytes."]',
  '[Image of the tool result "c.png: PNG image, 3 bytes."]',
];
const PICTURES = {
  role: "user",
  content: [
    { type: "text", text: LABELS[0] },
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    { type: "text", text: LABELS[1] },
    { type: "image_url", image_url: { url: "data:image/png;base64,BBBB" } },
  ],
};

for (
  const [kind, model, vision] of [
    ["deepseek", "deepseek-flash", undefined],
    ["deepseek", "deepseek-v4-flash-vision-exp", undefined],
    ["openai-compatible", "some/model", true],
  ] as const
) {
  Deno.test(`${model} sees: images follow the results of their reply as a user's message`, async () => {
    const messages = await sent(kind, model, vision);
    assertEquals(messages.map((m) => m.role), [
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "tool",
      "user",
      "assistant",
    ]);
    assertEquals(messages.slice(3, 6).map((m) => [m.tool_call_id, m.content]), [
      ["a", "a.png: PNG image, 3 bytes."],
      ["b", "b.png: PNG image, 3 bytes."],
      ["c", "c.png: PNG image, 3 bytes."],
    ]);
    assertEquals(messages[6], PICTURES);
  });
}

for (
  const [kind, model, vision] of [
    ["deepseek", "deepseek-v4-pro", undefined],
    ["openai-compatible", "some/model", undefined],
    ["deepseek", "deepseek-flash", false],
  ] as const
) {
  Deno.test(`${model} is blind (vision ${vision}): it is told so, and gets no image`, async () => {
    const messages = await sent(kind, model, vision);
    assertEquals(messages.map((m) => m.role), [
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "tool",
      "assistant",
    ]);
    assertEquals(
      messages[3]?.content,
      "a.png: PNG image, 3 bytes.\n[The model in use takes no images: it cannot be shown.]",
    );
    assertEquals(messages[4]?.content, "b.png: PNG image, 3 bytes.");
  });
}

Deno.test("a longer history begins as the shorter one did, images included", () => {
  const whole = withImages([...HISTORY, { role: "user", text: "And?" }], true);
  assertEquals(whole.slice(0, -2), withImages(HISTORY.slice(0, 5), true));
});

Deno.test("where there is no room for all images the latest are shown, and the others are said to be left out", () => {
  const data = "A".repeat(20 * 1024 * 1024);
  const told = withImages([call("a"), result("a", image(data)), call("b"), result("b", image(data))], true);
  assertEquals(told.map((m) => m.role), ["assistant", "tool", "assistant", "tool", "images"]);
  assertEquals(told[1]?.role === "tool" && told[1].text.includes("Read it again to see it"), true);
});

/** Two pictures in a prompt: `a[1] b [2].` */
const PROMPT: ModelMessage = {
  role: "user",
  text: "a[1] b [2].",
  images: [{ ...image(), at: 4 }, { ...image("BBBB"), at: 10 }],
};

for (const kind of ["deepseek", "openai-compatible"] as const) {
  Deno.test(`${kind}: a prompt's images are sent where they stand in it`, async () => {
    const [, user] = await sent(kind, "some/model", true, [PROMPT]);
    assertEquals(user, {
      role: "user",
      content: [
        { type: "text", text: "a[1]" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        { type: "text", text: " b [2]" },
        { type: "image_url", image_url: { url: "data:image/png;base64,BBBB" } },
        { type: "text", text: "." },
      ],
    });
  });

  Deno.test(`${kind}: a blind model reads in their places that it cannot be shown them`, async () => {
    const [, user] = await sent(kind, "some/model", false, [PROMPT]);
    const blind = " [The model in use takes no images: it cannot be shown.]";
    assertEquals(user, { role: "user", content: `a[1]${blind} b [2]${blind}.` });
  });
}

Deno.test("images of prompts and of results share the room, the latest first", () => {
  const data = "A".repeat(20 * 1024 * 1024);
  const prompt: ModelMessage = { role: "user", text: "[1]", images: [{ ...image(data), at: 3 }] };
  const later = withImages([prompt, call("a"), result("a", image(data))], true);
  assertEquals(later.map((m) => m.role), ["user", "assistant", "tool", "images"]);
  assertEquals(later[0]?.role === "user" && later[0].text.startsWith("[1] [Left out to save room."), true);
  const earlier = withImages([call("a"), result("a", image(data)), prompt], true);
  assertEquals(earlier.map((m) => m.role), ["assistant", "tool", "images"]);
});

Deno.test("of a result's images those that are not shown are counted", () => {
  const [good, bad] = [image(), image("BBBB")];
  const [, told, pictures] = withImages([call("a"), result("a", good, bad)], true, new Set([bad]));
  assertEquals(told?.role === "tool" && told.text.endsWith("\n[1 of 2 images are not shown.]"), true);
  assertEquals(pictures?.role === "images" && pictures.content.map((part) => part.type), ["text", "file"]);
});

/** What becomes of a request when the server answers with these statuses, one after the other. */
async function answered(statuses: readonly number[], messages: readonly ModelMessage[] = HISTORY) {
  const reply = await fixture("reasoning-field.sse");
  const pictures: number[] = [];
  await using server = serve(async (request, n) => {
    pictures.push((await request.text()).split("image_url").length >> 1);
    const status = statuses[n - 1] ?? 200;
    return status === 200 ? sse(reply) : new Response(`{"error":{"message":"no ${n}"}}`, { status });
  });
  const model = await modelAt(server.baseURL, "deepseek");
  const { parts, error } = await read(model, ask("", { messages, tools: [] }));
  const told = parts.filter((p) => p.type === "images-refused" || p.type === "retry").map((p) => p.type);
  return { pictures, told, error: error?.message };
}

Deno.test("a request that is refused goes once more without its images", async () => {
  for (const status of [400, 404, 422]) {
    assertEquals(await answered([status]), { pictures: [2, 0], told: ["images-refused"], error: undefined });
  }
});

Deno.test("where the images are not at fault the first refusal is told, and nothing of them", async () => {
  assertEquals(await answered([400, 400]), {
    pictures: [2, 0],
    told: [],
    error: "DeepSeek answered 400: no 1",
  });
});

Deno.test("a request without images, or one that is refused for another reason, goes once", async () => {
  assertEquals((await answered([400], [{ role: "user", text: "Hi" }])).pictures, [0]);
  assertEquals((await answered([401])).pictures, [2]);
  assertEquals((await answered([402])).pictures, [2]);
});

Deno.test("trouble on the second way is waited for as ever", async () => {
  assertEquals(await answered([400, 429, 400]), {
    pictures: [2, 0, 2, 0],
    told: ["retry", "images-refused"],
    error: undefined,
  });
});
