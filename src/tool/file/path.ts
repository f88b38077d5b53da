import { isAbsolute } from "@std/path/is-absolute";
import { resolve } from "@std/path/resolve";
import type { Place } from "../tool.ts";

/** A path as the model wrote it, made absolute against the session's directory. */
export function absolutePath(path: string, place: Place): string {
  return isAbsolute(path) ? resolve(path) : resolve(place.cwd, path);
}
