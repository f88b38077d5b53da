import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { findProgram } from "../../../src/bash/discover.ts";
import { denoDir } from "../../support/stage.ts";

const PATHS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** The arguments of bwrap that hide what stands at these places. */
async function hiding(): Promise<string[]> {
  const found = await Promise.all(PATHS.map((dir) => findProgram("rg", dir)));
  const files = await Promise.all(found.filter((f) => f !== undefined).map((f) => Deno.realPath(f)));
  return [...new Set(files)].flatMap((file) => ["--bind", "/dev/null", file]);
}

/** Places of the packaged ripgrep in Deno's cache. */
function packages(): string[] {
  const npm = `${denoDir()}/npm`;
  return [...Deno.readDirSync(npm)].map(({ name }) => `${npm}/${name}/@vscode`).filter((place) => {
    try {
      return Deno.statSync(place).isDirectory;
    } catch {
      return false;
    }
  });
}

/** What the probe prints on a machine that has no rg of its own; undefined where there is no bwrap to make one. */
async function probe(more: readonly string[]): Promise<Record<string, unknown> | undefined> {
  const bwrap = await findProgram("bwrap", PATHS.join(":"));
  if (bwrap === undefined) return undefined;
  const deno = [Deno.execPath(), "run", "-A", "--quiet", "--cached-only"];
  const script = new URL("search_probe.ts", import.meta.url).pathname;
  const { stdout, stderr } = await new Deno.Command(bwrap, {
    args: ["--dev-bind", "/", "/", ...await hiding(), ...more, ...deno, script],
    env: { PATH: PATHS.join(":"), DENO_DIR: denoDir() },
  }).output();
  const said = new TextDecoder().decode(stdout);
  assert(said.startsWith("{"), said + new TextDecoder().decode(stderr));
  return JSON.parse(said);
}

const ignore = Deno.build.os !== "linux" || packages().length === 0;

Deno.test(
  { name: "without an rg of the machine the packaged one searches, confined too", ignore },
  async () => {
    const said = await probe([]);
    if (said === undefined) return;
    assertEquals([said.failure, said.texts, said.output], [undefined, ["needle"], "no rg\n"]);
    assertStringIncludes(String(said.layers), "landlock");
  },
);

Deno.test({ name: "without any ripgrep a search says what to install", ignore }, async () => {
  const said = await probe(packages().flatMap((place) => ["--tmpfs", place]));
  if (said === undefined) return;
  assertStringIncludes(String(said.failure), "install it (package ripgrep)");
});
