import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { contentText, script } from "../support/model_script.ts";
import { callsAndResults } from "../support/model_server.ts";
import { onStage } from "../support/on_stage.ts";
import type { Stage } from "../support/stage.ts";
import { isTurnBound, joinChunks, onlyCard, textOf, toolContent } from "../support/updates.ts";
import type { Fields } from "../support/wire.ts";

const HEADS = {
  png: "\x89PNG\r\n\x1a\n",
  jpg: "\xff\xd8\xff\xe0",
  gif: "GIF89a",
  webp: "RIFF\x24\0\0\0WEBP",
};

/** A file that begins like an image and is `size` bytes long: nobody here looks further. */
async function paint(stage: Stage, name: string, head: string, size = 100): Promise<string> {
  const bytes = new Uint8Array(size).map((_, i) => i < head.length ? head.charCodeAt(i) : i * 7);
  await Deno.writeFile(stage.path(name), bytes);
  return bytes.toBase64();
}

const look = (path: string) => script(["tool", "read", { path }], ["text", "ok"]);
const imagesIn = (messages: readonly Fields[]) =>
  messages.flatMap((m) => Array.isArray(m.content) ? m.content : []).flatMap((part) =>
    part.image_url?.url ?? []
  );

onStage("an image, to a model that sees", {}, async (stage, t) => {
  const session = await stage.session();

  await t.step("goes to the model behind the result, and is shown in the card", async () => {
    for (const [ending, head] of Object.entries(HEADS)) {
      const type = `image/${ending === "jpg" ? "jpeg" : ending}`;
      const data = await paint(stage, `shot ${ending}.txt`, head);
      const card = onlyCard((await session.run(look(`shot ${ending}.txt`))).updates);
      assertEquals(card.status, "completed");
      assertEquals(
        toolContent(card.last),
        [{ type: "content", content: { type: "image", mimeType: type, data } }] as unknown,
      );
      const { messages } = stage.model.lastCall;
      assertEquals(messages.slice(-2).map((m) => m.role), ["tool", "user"]);
      assertEquals(imagesIn(messages.slice(-1)), [`data:${type};base64,${data}`]);
      assertStringIncludes(stage.model.told, "image, 100 bytes");
    }
  });

  await t.step("stays with the results of its reply, whatever was read beside it", async () => {
    await stage.write("a.txt", "text\n");
    await session.run(script(
      ["par", [["tool", "read", { path: "shot png.txt" }], ["tool", "read", { path: "a.txt" }]]],
      ["text", "ok"],
    ));
    const { messages } = stage.model.lastCall;
    assertEquals(messages.slice(-4).map((m) => m.role), ["assistant", "tool", "tool", "user"]);
    const [calls, results] = callsAndResults(stage.model.lastCall);
    assertEquals(results, calls);
  });

  await t.step(
    "is pointed to where it is too large for a frame, and goes to the model all the same",
    async () => {
      const data = await paint(stage, "big # image.png", HEADS.png, 3_000_000);
      const card = onlyCard((await session.run(look("big # image.png"))).updates);
      const [{ content } = {}] = toolContent(card.last);
      assertEquals(content as unknown, {
        type: "resource_link",
        uri: `file://${stage.path("big%20%23%20image.png")}`,
        name: "big # image.png",
        mimeType: "image/png",
        size: 3_000_000,
      });
      assert(imagesIn(stage.model.lastCall.messages).includes(`data:image/png;base64,${data}`));
    },
  );

  await t.step("of more than 5 MiB is refused, saying what to do", async () => {
    await paint(stage, "huge.jpg", HEADS.jpg, 6_000_000);
    const card = onlyCard((await session.run(look("huge.jpg"))).updates);
    assertEquals(card.status, "failed");
    assertStringIncludes(stage.model.told, "JPEG image of 6000000 bytes");
    assertStringIncludes(stage.model.told, "smaller copy");
  });

  await t.step("looks the same after a load, to the client and to the model", async () => {
    const told = joinChunks(stage.agent.updatesOf(session.id).filter(isTurnBound));
    const before = stage.model.lastCall.messages;
    await stage.stop();
    await stage.start();
    const loaded = await stage.load(session.id);
    const replayed = joinChunks(stage.agent.updatesOf(session.id).filter(isTurnBound));
    assertEquals(replayed.filter((u) => u.sessionUpdate !== "user_message_chunk"), told);
    await loaded.run(script(["text", "on"]));
    assertEquals(stage.model.lastCall.messages.slice(0, before.length), before);
  });
});

onStage("an image, to a model that cannot see, is told of", {
  env: { DSH_MODEL: "deepseek/deepseek-v4-pro" },
}, async (stage) => {
  const data = await paint(stage, "shot.png", HEADS.png);
  const session = await stage.session();
  const card = onlyCard((await session.run(look("shot.png"))).updates);
  assertEquals((toolContent(card.last)[0]?.content as Fields | undefined)?.data, data, "the user sees it");
  assertEquals(imagesIn(stage.model.lastCall.messages), []);
  assertStringIncludes(stage.model.told, "takes no images");
  assertStringIncludes(contentText(stage.model.lastCall.messages.at(-1)?.content), "PNG image, 100 bytes");
});

const GARBAGE = `${HEADS.png}garbage`; // 15 bytes: what they are in Base64 does not depend on what follows

onStage(
  "a broken image, which the provider refuses",
  { model: { refused: btoa(GARBAGE) } },
  async (stage, t) => {
    const { model } = stage;
    const session = await stage.session();
    const told = (text: string) => text.split("refused the images of this conversation").length - 1;

    await t.step("is left out, which the user is told, and the turn goes on", async () => {
      await paint(stage, "broken.png", GARBAGE);
      const { updates } = await session.run(look("broken.png"));
      assertEquals(onlyCard(updates).status, "completed");
      assertEquals([told(textOf(updates)), model.calls.length], [1, 3]);
      assertStringIncludes(textOf(updates), "an image cannot be decoded");
      assertEquals(imagesIn(model.lastCall.messages), []);
      assertStringIncludes(model.told, "The provider refused it");
    });

    await t.step("is not sent again in later turns; other images are", async () => {
      const data = await paint(stage, "good.png", HEADS.png);
      const { updates } = await session.run(look("good.png"));
      assertEquals([told(textOf(updates)), model.calls.length], [0, 5]);
      assertEquals(imagesIn(model.lastCall.messages), [`data:image/png;base64,${data}`]);
    });

    await t.step("does not stop a session that is loaded", async () => {
      await stage.stop();
      await stage.start();
      const loaded = await stage.load(session.id);
      const { updates } = await loaded.run(script(["text", "on"]));
      assertEquals(told(textOf(updates)), 1);
      assertEquals(imagesIn(model.lastCall.messages), []);
    });
  },
);
