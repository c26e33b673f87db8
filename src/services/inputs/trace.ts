import { z } from "zod";
import { LIMITS } from "../../domain/limits.js";
import { SIDE_EFFECTS } from "../../domain/run-trace.js";
import { count, json, name, routeId, text, whole } from "./parse.js";

const many = <T extends z.ZodType>(item: T) => z.array(item).max(LIMITS.traceItemsMax).default([]);

/** What an application tells of a run that ends. */
export const traceInput = z.strictObject({
  tools: many(
    z.strictObject({
      tool: name,
      side_effect: z.enum(SIDE_EFFECTS),
      receipt: json.optional(),
    }),
  ),
  verdicts: many(
    z.strictObject({
      criterion_id: name,
      version: whole(1),
      verdict: z.enum(["pass", "fail"]),
    }),
  ),
  artifacts: many(text(2_048)),
  tickets: many(text(256)),
  cost: z
    .strictObject({
      tokens_in: whole(0).default(0),
      tokens_out: whole(0).default(0),
      amount: z.number().min(0).max(1e9).optional(),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/)
        .optional(),
    })
    .default({ tokens_in: 0, tokens_out: 0 }),
  revisions: whole(0).default(0),
  /** Kept until the next rollup, for whoever looks into last night's failures. */
  prompts: many(text(LIMITS.turnCharsMax)),
});
export type TraceInput = z.output<typeof traceInput>;

export const queryTracesInput = z.strictObject({
  run: z.uuid().optional(),
  route: routeId.optional(),
  outcome: z.enum(["completed", "failed", "closed", "waiting"]).optional(),
  limit: count(LIMITS.tracesPageMax).default(20),
  cursor: z.string().max(2_048).optional(),
});

export const lastTimeInput = z.strictObject({
  limit: count(LIMITS.tracesPageMax).default(5),
});
