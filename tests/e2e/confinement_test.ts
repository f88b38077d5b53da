import { assert, assertEquals } from "@std/assert";
import { assertHas } from "../support/asserts.ts";
import { namesIn } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import type { Stage } from "../support/stage.ts";
import { UdpEcho } from "../support/udp_echo.ts";
import { cardsOf, onlyCard, terminalText, textOf } from "../support/updates.ts";

/**
 * What a confined command must not be able to do. Each prints `reached` if it could; the same line shows
 * with `full-access` that the attack itself works, so that it is the confinement that stops it.
 */
function attacksOn(stage: Stage, udp: UdpEcho): Record<string, string> {
  const { outside, home } = stage;
  const port = new URL(stage.model.baseURL).port;
  return {
    "write outside of the workspace": `echo x > ${outside}/made && echo reached`,
    "write to the home directory": `echo x > ${home}/made && echo reached`,
    "write through a link": `ln -sfn ${outside} link && echo x > link/by-link && echo reached`,
    "change a file outside": `echo more >> ${outside}/kept && echo reached`,
    "remove a file outside": `rm ${outside}/kept && echo reached`,
    "move a file out": `echo x > mine && mv mine ${outside}/moved && echo reached`,
    "read a private key": `cat ${home}/.ssh/id > /dev/null && echo reached`,
    "read a private key through a link":
      `ln -sfn ${home}/.ssh keys && cat keys/id > /dev/null && echo reached`,
    "reach a TCP server": `exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached`,
    "reach a UDP server":
      `exec 3<>/dev/udp/127.0.0.1/${udp.port} && echo >&3 && read -r -t 2 <&3 && echo reached`,
  };
}

async function furnish(stage: Stage): Promise<void> {
  await Deno.mkdir(`${stage.home}/.ssh`, { recursive: true });
  await Deno.writeTextFile(`${stage.home}/.ssh/id`, "PRIVATE");
  await Deno.writeTextFile(`${stage.outside}/kept`, "kept\n");
}

onStage("a command in the workspace preset cannot", {}, async (stage, t) => {
  await using udp = await UdpEcho.start();
  const session = await stage.session();
  for (const [what, command] of Object.entries(attacksOn(stage, udp))) {
    await t.step(what, async () => {
      await furnish(stage);
      const { updates } = await session.run(script(["bash", command], ["text", "ok"]));
      const output = terminalText(updates, onlyCard(updates).id);
      assert(!/^reached$/m.test(output), output);
    });
  }
  await t.step("while it can work in the workspace and in its temporary folder", async () => {
    const command =
      `echo x > made && mkdir -p d/e && mv made d/e/ && echo y > "$TMPDIR/t" && cat d/e/made "$TMPDIR/t"`;
    const { updates } = await session.run(script(["bash", command], ["text", "ok"]));
    assertEquals(terminalText(updates, onlyCard(updates).id), "x\ny\n");
  });
  assertEquals(await Deno.readTextFile(`${stage.outside}/kept`), "kept\n");
  assertEquals(namesIn(stage.outside), ["kept"]);
});

onStage("a command with full access can", { env: { DSH_PRESET: "full-access" } }, async (stage, t) => {
  await using udp = await UdpEcho.start();
  const session = await stage.session();
  for (const [what, command] of Object.entries(attacksOn(stage, udp))) {
    await t.step(what, async () => {
      await furnish(stage);
      const { updates } = await session.run(script(["bash", command], ["text", "ok"]));
      const output = terminalText(updates, onlyCard(updates).id);
      assert(/^reached$/m.test(output), `the attack itself does not work: ${output}`);
    });
  }
});

onStage("a file tool cannot read what a command cannot", {}, async (stage) => {
  await furnish(stage);
  await Deno.symlink(`${stage.home}/.ssh/id`, stage.path("key"));
  const session = await stage.session();
  for (const path of [`${stage.home}/.ssh/id`, "key", `/proc/${stage.agent.pid}/environ`]) {
    const { updates } = await session.run(script(["tool", "read", { path }], ["text", "ok"]));
    assertEquals(onlyCard(updates).status, "failed", path);
  }
  assert(!stage.model.lastCall.text.includes("PRIVATE"));
});

onStage("what is kept of sessions cannot be read by a command", {}, async (stage) => {
  const session = await stage.session();
  await session.run(script(["text", "a word to keep"]));
  const command = `cat ${stage.stateDir}/*.db* ${stage.stateDir}/*.sqlite* > /dev/null 2>&1; ` +
    `find ${stage.stateDir} -maxdepth 1 -type f -exec cat {} + | grep -c 'a word to keep'; true`;
  const { updates } = await session.run(script(["bash", command], ["text", "ok"]));
  assertEquals(terminalText(updates, onlyCard(updates).id).trim().split("\n").at(-1), "0");
});

onStage("the home directory is no workspace to make writable, and the user is told", {}, async (stage) => {
  const session = await stage.session(stage.home);
  const { updates } = await session.run(script(
    ["bash", "echo x > by-bash"],
    ["tool", "write", { path: "by-tool", content: "x" }],
    ["text", "ok"],
  ));
  assertEquals(cardsOf(updates).map((card) => card.status), ["failed", "failed"]);
  assertEquals(namesIn(stage.home), []);
  assertHas(textOf(updates), stage.home);
});

onStage("a command sees no descriptors but its own three", {}, async (stage) => {
  const session = await stage.session();
  const { updates } = await session.run(script(["bash", "ls /proc/self/fd | tr '\\n' ' '"], ["text", "ok"]));
  assertEquals(terminalText(updates, onlyCard(updates).id), "0 1 2 3 ", "3 is that of ls itself");
});
