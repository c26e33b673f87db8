import { z } from "zod";
import { ERASURE_BASES, ERASURE_REASONS, HOLD_SCOPES } from "../../domain/erasure.js";
import { LIMITS } from "../../domain/limits.js";
import { count, externalId, json, text } from "./parse.js";

export const eraseSubjectInput = z.strictObject({
  /** `policy` where no person asked for it: a retention rule, a closed account. */
  reason: z.enum(["erase", "policy"]).default("erase"),
  basis: z.enum(ERASURE_BASES).default("data_subject_request"),
});

export const eraseScopeInput = z.strictObject({
  /** The application's own id of a session or a source, the name of a field, or one of our ids. */
  target: externalId,
  reason: z.enum(ERASURE_REASONS).default("erase"),
  basis: z.enum(ERASURE_BASES).default("data_subject_request"),
  /** What stands instead of a turn or a source that is corrected. */
  text: text(LIMITS.turnCharsMax).optional(),
});

export type EraseScopeInput = z.output<typeof eraseScopeInput>;

export const placeHoldInput = z.strictObject({
  covers: z.enum(HOLD_SCOPES).default("subject"),
  /** What of the person; absent where it is all. */
  target: externalId.optional(),
  basis: z.enum(ERASURE_BASES).default("legal_duty"),
});

export type PlaceHoldInput = z.output<typeof placeHoldInput>;

export const rotateKeyInput = z.strictObject({});

export const listHoldsInput = z.strictObject({
  limit: count(LIMITS.pageRowsMax).default(50),
  cursor: z.string().max(2_048).optional(),
});

export const verifyErasureInput = z.strictObject({
  /** As it was answered. One that was changed isn't valid. */
  receipt: z.record(z.string(), json).optional(),
});

export const findTextInput = z.strictObject({ text: text(LIMITS.queryCharsMax) });
