import { Keyring } from "../config/keyring.ts";
import { loadConfig } from "../config/load.ts";
import { print } from "./print.ts";
import { readCommandLine, usage } from "./settings.ts";

/** `dsh-acp logout`: forgets the keys that were typed in. */
export async function run(args: readonly string[]): Promise<number> {
  const { overrides, words } = await readCommandLine(args);
  if (words.length > 0) throw usage(`logout takes no argument "${words[0]}".`);
  const keyring = new Keyring(await loadConfig(overrides));
  const forgotten = keyring.forget();
  print(forgotten.length > 0 ? `Forgotten: the key of ${forgotten.join(", ")}.` : "No key was kept.");
  if (keyring.given.length > 0) {
    print(`Still there, from the environment or the config file: the key of ${keyring.given.join(", ")}.`);
  }
  return 0;
}
