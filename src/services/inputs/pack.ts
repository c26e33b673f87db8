import { z } from "zod";
import { type DimensionId, type SessionId, trustedId } from "../../domain/ids.js";
import { LIMITS } from "../../domain/limits.js";
import { NAME } from "../../domain/name.js";
import { RECALL_MODES } from "../../recall/rank.js";
import { count, instant, routeId, text } from "./parse.js";

const query = text(LIMITS.queryCharsMax);

export const recallInput = z.strictObject({
  query,
  /** By what is likeliest meant, or plainly every word of the question, newest first. */
  mode: z.enum(RECALL_MODES).default("ranked"),
  limit: count(LIMITS.recallHitsMax).default(10),
  /** Narrows to some of the routes that the pin may read; one outside of them is refused. */
  source_routes: z.array(routeId).max(64).optional(),
  /** Narrows to some sessions, by the ids that hits carry. One of somebody else narrows to nothing. */
  source_sessions: z
    .array(z.uuid().transform((id): SessionId => trustedId<"SessionId">(id.toLowerCase())))
    .max(LIMITS.recallSessionsMax)
    .optional(),
  /** Narrows to what was said from a time on, until before another. */
  observed_from: instant.optional(),
  observed_until: instant.optional(),
  /** What turns of a speaker whom the question names count, times the others; 1 where names shall tell nothing. */
  speaker_weight: z.number().min(1).max(LIMITS.speakerWeightMax).optional(),
  /** Everything of the user at once: known here so that the policy denies it, and not as a slip of the pen. */
  all_routes: z.literal(true).optional(),
});
export type RecallInput = z.output<typeof recallInput>;

const dimensionId = z
  .string()
  .regex(NAME)
  .transform((id): DimensionId => trustedId<"DimensionId">(id));

/** What is searched: what was observed, what was said, or both as one list. */
export const RECALL_SCOPES = ["observations", "turns", "both"] as const;

export const recallObservationsInput = recallInput.extend({
  scope: z.enum(RECALL_SCOPES).default("observations"),
  /** Narrows observations to those of one dimension. */
  dimension: dimensionId.optional(),
});
export type RecallObservationsInput = z.output<typeof recallObservationsInput>;

export const RECALL_KINDS = ["turn", "episode", "observation"] as const;

/** What is recalled into a pack; all kinds where nothing is said. */
const packRecallInput = recallInput.extend({
  dimension: dimensionId.optional(),
  kinds: z
    .array(z.enum(RECALL_KINDS))
    .min(1)
    .max(RECALL_KINDS.length)
    .default([...RECALL_KINDS]),
});

export const assembleInput = z.strictObject({
  /** Lowers the route's cap; above it is refused. */
  tokens_max: z.int().min(1).max(LIMITS.packTokensMax).optional(),
  recall: packRecallInput.optional(),
});
export type AssembleInput = z.output<typeof assembleInput>;

export const diagnoseInput = z.strictObject({
  /** Of the entries that `explain` lists, from 1; without it, each line of the pack. */
  line: z.int().min(1).optional(),
});

export const importInput = z.strictObject({
  route_id: routeId,
  /** Rows are parsed one by one, so that a bad one doesn't sink the batch. */
  rows: z.array(z.unknown()).min(1).max(LIMITS.importRowsMax),
});

export const auditInput = z.strictObject({
  run: z.uuid().optional(),
  verdict: z.enum(["allow", "deny"]).optional(),
  limit: count(LIMITS.pageRowsMax).default(50),
  cursor: z.string().max(2_048).optional(),
});
