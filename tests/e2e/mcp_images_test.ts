import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { plainCapabilities } from "../support/capabilities.ts";
import { hostile, sessionWith } from "../support/mcp.ts";
import { contentText, isPictures, script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Session } from "../support/session.ts";
import { isTurnBound, joinChunks, onlyCard, toolContent } from "../support/updates.ts";
import type { Fields } from "../support/wire.ts";

const OPEN = { client: plainCapabilities, env: { DSH_PRESET: "full-access" } };

/** Bytes in Base64 that begin like a PNG; nobody here looks further. */
const png = (size: number) => btoa("\x89PNG\r\n\x1a\n".padEnd(size, "x"));
const image = (data: string) => ({ type: "image", mimeType: "image/png", data });
const words = (text: string) => ({ type: "text", text });
const blob = { type: "resource", resource: { uri: "a://1", mimeType: "image/png", blob: png(30) } };

/** Has the server give these blocks; gives those of the card. */
async function given(session: Session, content: readonly Fields[]): Promise<Fields[]> {
  const { updates } = await session.run(script(["tool", "mcp__h__content", { content }], ["text", "ok"]));
  const card = onlyCard(updates);
  assertEquals(card.status, "completed");
  return toolContent(card.last).map((block) => block.content as unknown as Fields);
}

/** The URLs of all images in a request. */
const imagesIn = (messages: readonly Fields[]): string[] =>
  messages.filter(isPictures).flatMap((m) => m.content as Fields[]).flatMap((part) =>
    (part.image_url as { url: string } | undefined)?.url ?? []
  );

onStage("images of an MCP server's result", OPEN, async (stage, t) => {
  const { model } = stage;
  const session = await sessionWith(stage, [hostile("h")]);
  const shown = [image(png(20)), image(png(30))];

  await t.step("are seen by the model and on the card, those of resources too", async () => {
    const card = await given(session, [words("two views"), image(png(20)), blob]);
    const text = "two views\n[image 1: image/png, 20 bytes]\na://1 [image 2: image/png, 30 bytes]";
    assertEquals(card, [words(`\`\`\`\n${text}\n\`\`\``), ...shown]);
    assertEquals(model.told, text);
    assertEquals(model.lastCall.messages.slice(-2).map((m) => m.role), ["tool", "user"]);
    assertEquals(
      imagesIn(model.lastCall.messages),
      [png(20), png(30)].map((d) => `data:image/png;base64,${d}`),
    );
  });

  await t.step("that are none, or too many, are noted, and harm nothing beside them", async () => {
    const before = imagesIn(model.lastCall.messages).length;
    const card = await given(session, [
      image(btoa("no image")),
      words("between"),
      ...Array(9).fill(image(png(20))),
    ]);
    assertEquals(card.map((block) => block.type), ["text", ...Array(8).fill("image")]);
    assertStringIncludes(model.told, "not shown, since it is no PNG, JPEG, GIF or WebP]\nbetween\n[image 1:");
    assertStringIncludes(model.told, "not shown, since at most 8 images");
    assertEquals(imagesIn(model.lastCall.messages).length, before + 8);
  });

  await t.step("whose Base64 is broken are noted, and harm nothing beside them", async () => {
    const broken = { type: "resource", resource: { uri: "a://2", mimeType: "image/png", blob: "%%" } };
    const card = await given(session, [words("before"), image("%%%"), broken, image(png(20))]);
    const text = [
      "before",
      "[image, image/png: not shown, since its Base64 is broken]",
      "[resource a://2]",
      "[resource, image/png: not shown, since its Base64 is broken]",
      "[image 1: image/png, 20 bytes]",
    ].join("\n");
    assertEquals([model.told, card[1]], [text, image(png(20))] as unknown);
  });

  await t.step("that fit into no frame are named on the card and go to the model all the same", async () => {
    const card = await given(session, [words("w".repeat(60_000)), image(png(20)), image(png(100_000))]);
    assertEquals(card.slice(1), [
      image(png(20)),
      words("[image/png, 100000 bytes: too large to be shown]"),
    ]);
    assertStringIncludes(String(card[0]!.text), "characters left out");
    assert(imagesIn(model.lastCall.messages).at(-1)!.endsWith(png(100_000)));
    assert(stage.agent.frames.every((frame) => frame.bytes < 64 * 1024));
  });

  await t.step("look the same after a load, to the client and to the model", async () => {
    const told = joinChunks(stage.agent.updatesOf(session.id).filter(isTurnBound));
    const before = model.lastCall.messages;
    await stage.stop();
    await stage.start({ ...OPEN });
    const loaded = await stage.load(session.id); // without the server
    const replayed = joinChunks(stage.agent.updatesOf(session.id).filter(isTurnBound));
    assertEquals(replayed.filter((u) => u.sessionUpdate !== "user_message_chunk"), told);
    await loaded.run(script(["text", "on"]));
    assertEquals(model.lastCall.messages.slice(0, before.length), before);
  });
});

onStage("images of an MCP server's result, to a model that cannot see, are told of", {
  ...OPEN,
  env: { ...OPEN.env, DSH_MODEL: "deepseek/deepseek-v4-pro" },
}, async (stage) => {
  const session = await sessionWith(stage, [hostile("h")]);
  const card = await given(session, [image(png(20))]);
  assertEquals(card[1], image(png(20)), "the user sees it");
  assertEquals(imagesIn(stage.model.lastCall.messages), []);
  assertStringIncludes(contentText(stage.model.told), "takes no images");
});
