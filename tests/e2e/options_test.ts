import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Message, Update } from "../support/wire.ts";

type Option = {
  id: string;
  category: string;
  currentValue: string;
  description: string;
  options: { value: string }[];
};

function permissionIn(holder: object | null | undefined): Option {
  const { configOptions = [] } = (holder ?? {}) as { configOptions?: Option[] };
  const option = configOptions.find((o) => o.id === "permission");
  assert(option, "there is no option `permission`");
  return option;
}

onStage("the permission option and the modes", {}, async (stage, t) => {
  const { agent } = stage;
  const opened = await agent.request("session/new", { cwd: stage.workspace, mcpServers: [] });
  const sessionId = String(opened.result?.sessionId);
  const set = (value: unknown, configId = "permission") =>
    agent.request("session/set_config_option", { sessionId, configId, value });
  const updates = (kind: string) =>
    agent.updatesOf(sessionId).filter((u) =>
      u.sessionUpdate === kind
    ) as (Update & { currentModeId?: string })[];

  await t.step("come with session/new, in step with each other", () => {
    const option = permissionIn(opened.result);
    assertEquals([option.category, option.currentValue], ["mode", "workspace"]);
    assertEquals(option.options.map((o) => o.value), ["read-only", "confirm", "workspace", "full-access"]);
    const modes = opened.result?.modes as { currentModeId: string; availableModes: { id: string }[] };
    assertEquals(modes.currentModeId, "workspace");
    assertEquals(modes.availableModes.map((m) => m.id), option.options.map((o) => o.value));
  });

  await t.step("answer a change with the whole list, and tell clients that show modes", async () => {
    const { result } = await set("read-only");
    assertEquals(permissionIn(result).currentValue, "read-only");
    assertEquals(updates("current_mode_update").at(-1)?.currentModeId, "read-only");
  });

  await t.step("change by mode as well, and tell clients that show options", async () => {
    assertEquals((await agent.request("session/set_mode", { sessionId, modeId: "confirm" })).result, {});
    assertEquals(permissionIn(updates("config_option_update").at(-1)).currentValue, "confirm");
  });

  await t.step("refuse unknown ids and values, and stay as they were", async () => {
    const wrong: Message[] = [
      await set("yolo"),
      await set(true),
      await set("workspace", "nope"),
      await agent.request("session/set_mode", { sessionId, modeId: "yolo" }),
    ];
    assertEquals(wrong.map((m) => m.error?.code), [-32602, -32602, -32602, -32602]);
    assertEquals(permissionIn((await set("confirm")).result).currentValue, "confirm");
    const unknown = await agent.request("session/set_mode", { sessionId: "sess_x", modeId: "confirm" });
    assertEquals(unknown.error?.code, -32002);
  });

  await t.step("tell which layers hold once an executor has run", async () => {
    await set("workspace");
    const prompt = [{ type: "text", text: script(["bash", "true"], ["text", "done"]) }];
    await agent.request("session/prompt", { sessionId, prompt });
    const option = permissionIn(updates("config_option_update").at(-1));
    assertStringIncludes(option.description, "landlock");
  });

  await t.step("are kept by session/load, in another process too", async () => {
    await set("read-only");
    await using other = await stage.start();
    const refused = await other.request("session/load", { sessionId, cwd: stage.workspace, mcpServers: [] });
    assertStringIncludes(String(refused.error?.message), "open in another process");
    await agent.kill("SIGKILL");
    const loaded = await other.request("session/load", { sessionId, cwd: stage.workspace, mcpServers: [] });
    assertEquals(permissionIn(loaded.result).currentValue, "read-only");
    assertEquals((loaded.result?.modes as { currentModeId: string }).currentModeId, "read-only");
  });
});
