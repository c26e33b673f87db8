import { MunimentError } from "../../src/domain/errors.js";

/** The refusal that a call ends with; fails where it isn't refused, or fails in another way. */
export async function refusedWith(call: Promise<unknown>): Promise<MunimentError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof MunimentError) return error;
    throw error;
  }
  throw new Error("it wasn't refused");
}
