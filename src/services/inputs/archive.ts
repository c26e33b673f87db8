import { z } from "zod";
import { LIMITS } from "../../domain/limits.js";

/** Some lines of one person, with the line that says whose they are. */
export const importSubjectInput = z.strictObject({
  subject: z.unknown(),
  lines: z.array(z.unknown()).max(LIMITS.archiveLinesMax),
});
