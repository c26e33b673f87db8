import { z } from "zod";
import { ERASURE_BASES } from "../../domain/erasure.js";
import { LIMITS } from "../../domain/limits.js";
import { json, text } from "./parse.js";

export const eraseSubjectInput = z.strictObject({
  /** `policy` where no person asked for it: a retention rule, a closed account. */
  reason: z.enum(["erase", "policy"]).default("erase"),
  basis: z.enum(ERASURE_BASES).default("data_subject_request"),
});

export const verifyErasureInput = z.strictObject({
  /** As it was answered. One that was changed isn't valid. */
  receipt: z.record(z.string(), json).optional(),
});

export const findTextInput = z.strictObject({ text: text(LIMITS.queryCharsMax) });
