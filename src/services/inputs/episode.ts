import { z } from "zod";
import { LIMITS } from "../../domain/limits.js";
import { NAME } from "../../domain/name.js";
import { WORK_STATES } from "../../domain/work.js";
import { count } from "./parse.js";

/** Stands in clear: a word of the application's own vocabulary, not somebody's text. */
const dataClass = z.string().regex(NAME);

export const closeSessionInput = z.strictObject({
  /** False for a session that leaves no episode. */
  compress: z.boolean().default(true),
  /** False for a session that teaches nothing about its person. */
  observe: z.boolean().default(true),
  /** How the application classes what was talked about. */
  data_class: dataClass.optional(),
});

/** The lists of a digest; what stands in them is compared with the session and refused by the place where it is wrong. */
const part = z.array(z.unknown()).max(LIMITS.digestEntriesMax).optional();

export const appendEpisodeInput = z.strictObject({
  open_questions: part,
  decisions: part,
  artifacts: part,
  evaluator_failures: part,
  data_class: dataClass.optional(),
});

export const workInput = z.strictObject({
  state: z.enum(WORK_STATES).optional(),
  limit: count(LIMITS.pageRowsMax).default(50),
  cursor: z.string().max(2_048).optional(),
});
