import { startRig } from "./rig.ts";
Deno.test("probe", async () => {
  await using rig = await startRig();
  const { executor, place } = rig;
  await Deno.writeTextFile(`${place.workspace}/a.txt`, "hello\nfoo\nx\n");
  const go = new AbortController().signal;
  const text = { pattern: "foo", give: "lines", before: 1, after: 0, ignoreCase: false, fixed: false, multiline: false } as const;
  console.log(executor.report.layers, await executor.search({ path: place.workspace, skip: 0, limit: 10, timeoutMs: 5000 }, go));
  console.log(await executor.search({ path: place.workspace, text, skip: 0, limit: 10, timeoutMs: 5000 }, go));
});
