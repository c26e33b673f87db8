import { z } from "zod";
import { LIMITS } from "../domain/limits.js";
import { ISOLATION_KEYS } from "../domain/profile.js";

const names = z.array(z.string()).max(256);

const memoryProfile = z.strictObject({
  conversation: z.enum(["none", "session"]),
  working: z.enum(["none", "session"]),
  loop: z.enum(["none", "checkpoint"]),
  long_term: z.enum(["none", "retrieve_only"]),
  ttl_hours: z.int().min(1).max(LIMITS.ttlHoursMax).describe("Idle lifetime, in hours"),
  isolation: z.array(z.enum(ISOLATION_KEYS)),
});

const condition = z.strictObject({
  slot: z.string().describe("Stage id, then keys inside its output: `review.approved`"),
  equals: z.union([z.string(), z.number(), z.boolean(), z.null()]),
});

const stage = z.strictObject({
  stage_id: z.string(),
  tools: names.optional(),
  recall: z.boolean().optional().describe("True where turns may be recalled in this stage"),
  input_schema: z.record(z.string(), z.unknown()).optional(),
  when: condition.optional().describe("Branch: where it doesn't hold, the stage is passed over"),
  gate: condition.optional().describe("The run waits before the stage until it holds"),
});

/** Describes a route row for callers. The rules themselves are the domain's (`route-rules.ts`), which parses it. */
export const putRouteBody = z.strictObject({
  memory_profile: memoryProfile.partial().optional().describe("Absent: the route keeps nothing"),
  autonomy: z.int().min(0).max(3).optional(),
  risk: z.enum(["low", "high"]).optional(),
  side_effects: z.enum(["read", "write"]).optional(),
  long_term_reason: z.string().optional(),
  stages: z.array(stage).optional(),
  tools: names.optional(),
  recall_from: names.optional().describe("Other routes whose memory this one may read"),
  store_fields: names.optional(),
  views: names.optional().describe("Views of the person that its packs hold"),
  retrieval: z
    .strictObject({
      scope: names.optional(),
      prefetch: z.boolean().optional(),
      limit: z.int().optional(),
    })
    .optional(),
  tokens_max: z.int().min(1).max(LIMITS.packTokensMax).optional(),
  route_id: z.string().optional().describe("The path's, where given"),
  reason: z.string().optional().describe("Why the route changes; needed from version 2 on"),
});
