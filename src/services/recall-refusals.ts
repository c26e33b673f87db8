import { MunimentError } from "../domain/errors.js";
import { NEXT_STEP, outcomeOfRefusal } from "../recall/outcome.js";

/** A recall whose refusals say what to do next, as its other outcomes do: that nothing came back is no proof that nothing was said. */
export async function sayingNextStep<Reply>(recall: Promise<Reply>): Promise<Reply> {
  try {
    return await recall;
  } catch (error) {
    if (!(error instanceof MunimentError)) throw error;
    const outcome = outcomeOfRefusal(error.kind);
    if (outcome === null) throw error;
    const { kind, message, cause } = error;
    throw new MunimentError(kind, message, { nextStep: NEXT_STEP[outcome], cause });
  }
}
