import { assert, assertEquals } from "@std/assert";
import { namesIn } from "../support/files.ts";
import { script } from "../support/model_script.ts";
import { onStage } from "../support/on_stage.ts";
import { onlyCard, terminalText } from "../support/updates.ts";

onStage("an agent leaves nothing but what it keeps in its state folder", {}, async (stage) => {
  const session = await stage.session();
  await session.run(script(["bash", 'seq 1 100000; echo t > "$TMPDIR/t"'], ["text", "ok"]));
  await stage.stop();
  assertEquals(namesIn(stage.workspace), []);
  assertEquals(namesIn(stage.home), []);
  assertEquals(namesIn(stage.tempDir), []);
  assertEquals(namesIn(stage.outside), []);
});

onStage("what is kept is for its owner only", {}, async (stage) => {
  await (await stage.session()).run("hello");
  const open = [];
  for (const name of namesIn(stage.stateDir)) {
    const { mode } = await Deno.lstat(`${stage.stateDir}/${name}`);
    if ((mode ?? 0) & 0o077) open.push(`${name} ${((mode ?? 0) & 0o777).toString(8)}`);
  }
  const { mode } = await Deno.lstat(stage.stateDir);
  assert(((mode ?? 0) & 0o077) === 0 || open.length === 0, `others can read ${open.join(", ")}`);
});

onStage("the temporary folder of a session outlasts its commands", {}, async (stage) => {
  const session = await stage.session();
  const run = async (command: string) => {
    const { updates } = await session.run(script(["bash", command], ["text", "ok"]));
    return terminalText(updates, onlyCard(updates).id);
  };
  await run('echo kept > "$TMPDIR/note"');
  assertEquals(await run('cat "$TMPDIR/note"'), "kept\n");
});

onStage("a project's own files do not disturb the agent that is started in it", {
  files: {
    "deno.json":
      `{ "imports": { "zod": "./nope.ts", "@agentclientprotocol/sdk": "./nope.ts" }, "nodeModulesDir": "auto" }`,
    "package.json": `{ "type": "commonjs", "dependencies": { "not-there-4711": "1.0.0" } }`,
    ".env": "DEEPSEEK_API_KEY=planted\nDSH_PRESET=full-access\n",
    ".npmrc": "registry=http://127.0.0.1:9/\n",
  },
}, async (stage) => {
  const session = await stage.session();
  const before = namesIn(stage.workspace);
  const { updates } = await session.run(
    script(["bash", `echo x > ${stage.outside}/made; echo ran`], ["text", "ok"]),
  );
  assert(terminalText(updates, onlyCard(updates).id).endsWith("ran\n"));
  assertEquals(namesIn(stage.outside), [], "a project's .env must not widen anything");
  assertEquals(namesIn(stage.workspace), before);
});
