import { type ErrorKind, MunimentError } from "../domain/errors.js";

/** Refusals of one kind with the next step that fits this command: that of the kind has to fit all. */
export async function advised<R>(asked: Promise<R>, kind: ErrorKind, nextStep: string): Promise<R> {
  try {
    return await asked;
  } catch (cause) {
    if (!(cause instanceof MunimentError) || cause.kind !== kind) throw cause;
    const { message, field } = cause;
    throw new MunimentError(kind, message, { ...(field && { field }), nextStep, cause });
  }
}
