import { MunimentError } from "../domain/errors.js";
import { DirectoryHeldError } from "../storage/drivers/directory-lock.js";

/** What opening throws where another process has the data directory, and that process's URL. */
export function heldBy(
  error: unknown,
): { readonly url: string | null; readonly refusal: MunimentError } | null {
  if (!(error instanceof DirectoryHeldError)) return null;
  const { url, message } = error;
  // Without an address it is a service that starts, or stops, or a command at work.
  const nextStep =
    url === null
      ? "wait a moment and try again: it is starting, or at something that ends by itself"
      : "use that service, or stop it first";
  return { url, refusal: new MunimentError("unavailable", message, { nextStep }) };
}
