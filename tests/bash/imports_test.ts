import { assert, assertEquals } from "@std/assert";

/** Paths below `src/` of all modules that `entry` loads, types and dynamic imports included. */
async function modulesOf(entry: string): Promise<string[]> {
  const root = new URL("../../src/", import.meta.url);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-config", "--no-lock", new URL(entry, root).href],
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: { specifier: string }[] };
  return modules.map(({ specifier }) =>
    specifier.startsWith(root.href) ? specifier.slice(root.href.length) : specifier
  );
}

Deno.test("the executor loads nothing but its siblings, so that it starts without a registry", async () => {
  const modules = await modulesOf("bash/executor.ts");
  assert(modules.includes("bash/serve.ts") && modules.includes("sandbox/landlock.ts"));
  const strangers = modules.filter((m) => !/^(bash|sandbox)\/|^(errors|config\/config|log)\.ts$/.test(m));
  assertEquals(strangers, []);
});
