import { z } from "zod";
import { LIMITS } from "../../domain/limits.js";

/** Some lines of one person, with the line that says whose they are. */
export const importSubjectInput = z.strictObject({
  subject: z.unknown(),
  lines: z.array(z.unknown()).max(LIMITS.archiveLinesMax),
});

/** Some lines of what is a tenant's own. */
export const importTenantInput = z.strictObject({
  lines: z.array(z.unknown()).max(LIMITS.archiveLinesMax),
});
