import { z } from "zod";
import { ERASURE_BASES } from "../../domain/erasure.js";

export const eraseSubjectInput = z.strictObject({
  /** `policy` where no person asked for it: a retention rule, a closed account. */
  reason: z.enum(["erase", "policy"]).default("erase"),
  basis: z.enum(ERASURE_BASES).default("data_subject_request"),
});
