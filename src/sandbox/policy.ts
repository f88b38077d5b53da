import type { Preset } from "../config/config.ts";

/**
 * What one executor may do. Pure data: it is computed from preset and roots, sent to the executor in its
 * first message, and never widened afterwards.
 */
export interface Policy {
  readonly preset: Preset;
  /** False only for `full-access` and approved unconfined calls: no kernel layer is put on. */
  readonly confined: boolean;
  /** The session's cwd, absolute and real. */
  readonly cwd: string;
  /** Directories below which files may be written: absolute, real, existing. */
  readonly writable: readonly string[];
  /** Files and directories whose contents may not be read: absolute, real where they exist. */
  readonly secret: readonly string[];
  /** The session's private temporary directory: always writable, `TMPDIR` of commands, home of spill files. */
  readonly tempDir: string;
  /** May sockets to the network be opened? */
  readonly network: boolean;
}
