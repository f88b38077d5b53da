import { Stage, type StageOptions } from "./stage.ts";

/** The end-to-end tests look into /proc to prove what runs and what is gone. */
const RUNS_HERE = Deno.build.os === "linux";

/** A test's own part, on a stage that is torn down after it. */
export type Scene = (stage: Stage, t: Deno.TestContext) => Promise<void>;

/**
 * Registers a test against the real program: a stage with one initialized agent is set up before it, and
 * all checks of the wire and of the agent's end are done after it. Where both the test and those checks
 * fail, both are told, the test's own failure first.
 */
export function onStage(name: string, options: StageOptions, scene: Scene): void {
  register(name, () => Stage.open(options), scene);
}

/** Like {@linkcode onStage}, for tests that start the program by themselves. */
export function onEmptyStage(name: string, options: StageOptions, scene: Scene): void {
  register(name, () => Stage.prepare(options), scene);
}

function register(name: string, open: () => Promise<Stage>, scene: Scene): void {
  Deno.test({ name, ignore: !RUNS_HERE, fn: (t) => play(open, scene, t) });
}

async function play(open: () => Promise<Stage>, scene: Scene, t: Deno.TestContext): Promise<void> {
  const stage = await open();
  let failure: Error | undefined;
  try {
    await scene(stage, t);
  } catch (thrown) {
    failure = thrown instanceof Error ? thrown : new Error(String(thrown));
  }
  try {
    await stage[Symbol.asyncDispose]();
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    if (!failure) throw thrown;
    failure.message += `\n\nand after it: ${message}`;
  }
  if (failure) throw failure;
}
