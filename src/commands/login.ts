import { Keyring } from "../config/keyring.ts";
import { loadConfig } from "../config/load.ts";
import { AgentError } from "../errors.ts";
import { checkKey } from "../model/check_key.ts";
import { readSecret } from "./key_prompt.ts";
import { print } from "./print.ts";
import { readCommandLine, usage } from "./settings.ts";

/** `dsh-acp login`: asks for a provider's key, has the provider check it, and keeps it. */
export async function run(args: readonly string[]): Promise<number> {
  const { overrides, values, words } = await readCommandLine(args, { "provider": { type: "string" } });
  if (words.length > 0) {
    throw usage(`login takes no argument "${words[0]}": the key is typed in, never given.`);
  }
  const config = await loadConfig(overrides);
  const name = typeof values.provider === "string" ? values.provider : "deepseek";
  const provider = Object.hasOwn(config.providers, name) ? config.providers[name] : undefined;
  if (!provider || provider.kind === "demo") {
    const known = Object.entries(config.providers).filter(([, p]) => p.kind !== "demo").map(([n]) => n);
    throw usage(`There is no provider "${name}" that takes a key; there are: ${known.join(", ")}.`);
  }
  if (provider.kind !== "deepseek" && !provider.baseURL) throw usage(`Provider "${name}" has no base URL.`);
  const key = await readSecret(`API key for ${name} (it is not shown): `);
  if (!/^[\x21-\x7e]{8,}$/.test(key)) throw new AgentError("usage", "That is no key: nothing was kept.");
  await checkKey(key, provider.baseURL);
  new Keyring(config).keep(name, key);
  print(`The key works and is kept in ${config.keysFile}.`);
  if (provider.apiKey) print("The environment or the config file gives another one, which goes first.");
  return 0;
}
