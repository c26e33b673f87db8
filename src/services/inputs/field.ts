import { z } from "zod";
import { LIMITS } from "../../domain/limits.js";
import { NAME } from "../../domain/name.js";
import { count, externalId, json, whole } from "./parse.js";

const fieldId = z.string().regex(NAME);
const cursor = z.string().max(2_048).optional();
const limit = count(LIMITS.pageRowsMax).default(50);

/** As the field's own schema says; null for no value any more. */
const value = json;

/** Hash of the value that was seen, as a candidate shows it: nothing else is decided on. */
const valueHash = z.string().regex(/^[0-9a-f]{64}$/);

export const readFieldInput = z.strictObject({ version: whole(1).optional() });
export const listDefinitionsInput = z.strictObject({ limit, cursor });

export const proposeFieldInput = z.strictObject({
  field_id: fieldId,
  value,
  /** Id that the value has where it comes from: proposed again, even after a decision, it adds nothing. */
  source_id: externalId.optional(),
});
export const upsertPreferenceInput = z.strictObject({
  field_id: fieldId,
  value,
  /** Turns of the run's session that the value was taken from. */
  evidence: z.array(z.uuid()).max(LIMITS.evidenceRefsMax).optional(),
});

/** Version of the value that the caller saw last, 0 for none: the write happens only while it still stands. */
const expectedVersion = whole(0).optional();
export const setFieldInput = z.strictObject({ value, expected_version: expectedVersion });

const decision = { value_hash: valueHash, expected_version: expectedVersion };
export const promoteByHumanInput = z.strictObject(decision);
export const promoteByEvaluatorInput = z.strictObject({
  ...decision,
  /** Extraction criterion that the candidate passed. */
  criterion: z.string().regex(/^[a-z][a-z0-9_.]{0,63}$/),
});
export const rejectCandidateInput = z.strictObject({ value_hash: valueHash });
export const revertPromotionInput = z.strictObject({});
export const deleteFieldInput = z.strictObject({});
export const reconcileInput = z.strictObject({
  fields: z.array(fieldId).min(1).max(LIMITS.reconcileFieldsMax),
});

export const listCandidatesInput = z.strictObject({
  state: z.enum(["waiting", "open", "quarantined", "promoted", "rejected"]).default("waiting"),
  field_id: fieldId.optional(),
  limit,
  cursor,
});
export const listPromotionsInput = z.strictObject({ field_id: fieldId.optional(), limit, cursor });
