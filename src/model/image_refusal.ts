import { ModelError, type ModelImage, type ModelPart } from "./model.ts";

/** Images that a request does without. */
export type HiddenImages = Pick<WeakSet<ModelImage>, "has">;

const ALL: HiddenImages = { has: () => true };

/**
 * Runs `attempt`; where the provider refuses the request, once more without `images`, which are all that it would
 * carry. A broken image would else end every later turn, since it stays in the history. If the request is taken
 * then, the images are put among the `refused`, an `images-refused` part is yielded, and the reply follows; else it
 * was not their fault, and the first refusal is thrown.
 */
export async function* withoutRefused(
  images: Iterable<ModelImage>,
  refused: WeakSet<ModelImage>,
  attempt: (hidden: HiddenImages) => AsyncIterable<ModelPart>,
): AsyncGenerator<ModelPart> {
  const sent = [...images];
  let begun = false;
  let refusal: ModelError;
  try {
    for await (const part of attempt(refused)) {
      begun = true;
      yield part;
    }
    return;
  } catch (error) {
    if (begun || sent.length === 0 || !isRefusal(error)) throw error;
    refusal = error;
  }
  try {
    for await (const part of attempt(ALL)) {
      if (!begun) {
        for (const image of sent) refused.add(image);
        yield { type: "images-refused", reason: refusal.message };
      }
      begun = true;
      yield part;
    }
  } catch (error) {
    throw !begun && isRefusal(error) ? refusal : error;
  }
}

/** By the provider, not by the runtime (as for a URL that is none); providers say it with many a status. */
function isRefusal(error: unknown): error is ModelError {
  return error instanceof ModelError && error.fault === "request" && error.status !== undefined;
}
