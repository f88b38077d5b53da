import { assertEquals } from "@std/assert";
import { checkRipgrep } from "../../src/commands/doctor_checks.ts";
import type { Config } from "../../src/config/config.ts";

Deno.test("checkRipgrep() names the ripgrep that searches will use: the first in PATH", async () => {
  const dir = await Deno.makeTempDir({ prefix: "dsh-doctor-" });
  try {
    await Deno.writeTextFile(`${dir}/rg`, "#!/bin/sh\n", { mode: 0o755 });
    const config = { environment: { PATH: `${dir}:/usr/bin:/bin` } } as unknown as Config;
    assertEquals(await checkRipgrep(config), { name: "ripgrep", state: "ok", found: `${dir}/rg` });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
