import { MunimentError } from "../domain/errors.js";
import { Unmet } from "../domain/unmet.js";

/** First writers of one subject and session race at most this often before one of them sees the other's rows. */
const ATTEMPTS_MAX = 4;
/** Another writer was first, or the subject ended after it was looked up: what is there now is found by the next look. */
const RETRIED: ReadonlySet<string> = new Set(["external_id_taken", "subject_gone"]);

/**
 * Reads again where another writer of a version was first. The second attempt is given what the first one failed with: it
 * throws that where the other said something else, and has nothing to write where both said the same.
 */
export async function besideOthers<R>(attempt: (lost: Unmet | null) => Promise<R>): Promise<R> {
  try {
    return await attempt(null);
  } catch (error) {
    if (!(error instanceof Unmet) || error.code !== "version_conflict") throw error;
    return await attempt(error);
  }
}

/** Looks again where another writer was first. */
export async function amongFirstWriters<R>(attempt: () => Promise<R>): Promise<R> {
  for (let made = 1; made <= ATTEMPTS_MAX; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Unmet) || !RETRIED.has(error.code)) throw error;
    }
  }
  throw new MunimentError("unavailable", "too many first writers at once, try again");
}
