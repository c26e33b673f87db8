import { MunimentError } from "../domain/errors.js";
import { DirectoryHeldError } from "../storage/drivers/directory-lock.js";

/** What opening throws where another process has the data directory, and that process's URL. */
export function heldBy(
  error: unknown,
): { readonly url: string | null; readonly refusal: MunimentError } | null {
  if (!(error instanceof DirectoryHeldError)) return null;
  return { url: error.url, refusal: new MunimentError("unavailable", error.message) };
}
