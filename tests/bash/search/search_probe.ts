/** Searches a fresh workspace for what stands in it, and prints what came of it; run where there is no rg. */
import { RIPGREP_PACKAGE } from "../../../src/bash/search/ripgrep.ts";
import { messageOf } from "../../../src/errors.ts";
import { startRig } from "../rig.ts";

const say = (what: unknown) => Deno.stdout.write(new TextEncoder().encode(JSON.stringify(what)));

// The wait for the package has its bound, which a loaded machine may need longer than: here it has come already.
await import(RIPGREP_PACKAGE).catch(() => {});
await using rig = await startRig();
await Deno.writeTextFile(`${rig.place.workspace}/a.txt`, "needle\n");
const text = { pattern: "needle", give: "lines", before: 0, after: 0 } as const;
const plain = { ignoreCase: false, fixed: false, multiline: false };
const request = {
  path: rig.place.workspace,
  text: { ...text, ...plain },
  skip: 0,
  limit: 9,
  timeoutMs: 60_000,
};
try {
  const { entries } = await rig.executor.search(request, new AbortController().signal);
  const { output } = await rig.run("rg --version 2>/dev/null || echo no rg");
  await say(
    { texts: entries.map((e) => e.text), layers: rig.executor.report.layers, output },
  );
} catch (thrown) {
  await say({ failure: messageOf(thrown) });
}
