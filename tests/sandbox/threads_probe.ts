/** Tries file operations outside with every permission that Deno can give; only the kernel is in the way. */
import { confine } from "../../src/sandbox/confine.ts";
import { alloc, cString, openLibc } from "../../src/sandbox/libc.ts";
import type { Policy } from "../../src/sandbox/policy.ts";

const [mode, libcPath, policyJson, outside] = Deno.args as [string, string, string, string];
const policy = JSON.parse(policyJson) as Policy;

if (mode !== "probe") confine(openLibc(libcPath), policy);
if (mode === "executed") {
  execute(["run", "-A", "--no-check", import.meta.url, "probe", ...Deno.args.slice(1)]);
}

async function attempt(work: () => unknown): Promise<string> {
  try {
    await work();
    return "done";
  } catch (thrown) {
    return thrown instanceof Deno.errors.PermissionDenied ? "refused" : String(thrown);
  }
}

function execute(args: readonly string[]): void {
  const libc = openLibc(libcPath);
  const vector = (strings: readonly string[]) => {
    const pointers = new BigUint64Array(alloc((strings.length + 1) * 8).buffer);
    pointers.set(strings.map((text) => libc.pin(cString(text))));
    return new Uint8Array(pointers.buffer);
  };
  const environment = Object.entries(Deno.env.toObject()).map(([name, value]) => `${name}=${value}`);
  const program = Deno.execPath();
  libc.must("execve", "execve", cString(program), vector([program, ...args]), vector(environment));
}

const results = {
  syncWrite: await attempt(() => Deno.writeTextFileSync(`${outside}/sync`, "x")),
  asyncWrite: await attempt(() => Deno.writeTextFile(`${outside}/async`, "x")),
  asyncRead: await attempt(() => Deno.readTextFile(`${outside}/home/.ssh/id`)),
  asyncRename: await attempt(() => Deno.rename(`${outside}/home`, `${outside}/renamed`)),
  asyncSymlink: await attempt(() => Deno.symlink("/", `${outside}/link`)),
  asyncList: await attempt(() => Array.fromAsync(Deno.readDir(`${outside}/home/.ssh`))),
  asyncInside: await attempt(() => Deno.writeTextFile(`${policy.cwd}/inside`, "x")),
};
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(results)));
