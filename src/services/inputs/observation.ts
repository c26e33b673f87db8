import { z } from "zod";

export const observeSubjectInput = z.strictObject({
  /** True for what an import brought, too: nothing else observes that. */
  imported: z.boolean().default(false),
  cursor: z.string().max(2_048).optional(),
});
