import { z } from "zod";
import { LIMITS } from "../../domain/limits.js";
import { count, text, whole } from "./parse.js";

export const searchCorpusInput = z.strictObject({
  query: text(LIMITS.queryCharsMax),
  /** Some of the corpora that the pinned route lists; all of them where absent. */
  corpora: z.array(z.string().min(1).max(128)).min(1).max(LIMITS.corporaPerSearchMax).optional(),
  limit: count(LIMITS.recallHitsMax).optional(),
});

export const prefetchCorpusInput = searchCorpusInput.extend({
  /** Version of the slot `prefetch` that this one replaces. */
  slot_version: whole(1).optional(),
});
