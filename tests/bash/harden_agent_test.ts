import { assertEquals } from "@std/assert";

const HARDEN = new URL("../../src/bash/harden_agent.ts", import.meta.url).href;
const PROGRAM = `
import { hardenAgent } from ${JSON.stringify(HARDEN)};
const outcome = Deno.args[0] === "hard" ? await hardenAgent() : "soft";
const look = new Deno.Command("bash", {
  args: ["-c", "cat /proc/$PPID/environ >/dev/null 2>&1 && echo seen; grep -o 'core file size *[0-9a-z]*' /proc/$PPID/limits"],
});
const { stdout } = await look.output();
console.log(JSON.stringify([outcome, new TextDecoder().decode(stdout).trim()]));
`;

/** What a child of an agent that is an ordinary user sees of it. */
async function seenOf(mode: "hard" | "soft"): Promise<unknown> {
  const program = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(program, PROGRAM);
  await Deno.chmod(program, 0o644);
  const cache = await Deno.makeTempDir();
  await Deno.chmod(cache, 0o777);
  const deno = [Deno.execPath(), "run", "-A", "--no-check", "--no-config", "--no-lock", program, mode];
  const { stdout, stderr } = await new Deno.Command("setpriv", {
    args: ["--reuid=1000", "--regid=1000", "--clear-groups", ...deno],
    env: { DENO_DIR: cache, HOME: cache },
    cwd: "/",
  }).output();
  await Promise.all([Deno.remove(program), Deno.remove(cache, { recursive: true })]);
  const text = new TextDecoder().decode(stdout);
  return text === "" ? new TextDecoder().decode(stderr) : JSON.parse(text);
}

Deno.test({
  name: "hardenAgent() hides the agent from other processes of its user (needs root to become one)",
  ignore: Deno.uid() !== 0,
  async fn() {
    const [soft, hard] = [await seenOf("soft"), await seenOf("hard")] as [unknown[], unknown[]];
    assertEquals(String(soft[1]).split("\n")[0], "seen");
    assertEquals([hard[0], String(hard[1]).includes("seen")], [{ hidden: true, missing: [] }, false]);
  },
});
