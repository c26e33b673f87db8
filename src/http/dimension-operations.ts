import { z } from "zod";
import { observeSubjectInput } from "../services/inputs/observation.js";
import { listDimensions } from "../services/list-dimensions.js";
import { observeSubject } from "../services/observe-subject.js";
import { putDimension } from "../services/put-dimension.js";
import { testDimension } from "../services/test-dimension.js";
import { type Door, door } from "./door.js";

/** Describes a dimension for callers. The rules themselves are the domain's (`dimension-rules.ts`), which parses it. */
const dimensionBody = z.strictObject({
  entity: z.literal("person"),
  type: z.literal("string"),
  description: z.string().describe("What it takes, for people and for models"),
  tags: z.array(z.literal("memory_extraction")),
  cues: z.array(z.string()).optional().describe("Phrases by which it is known without a model"),
  is_safety: z.boolean().optional().describe("No rewrite may drop it"),
  examples: z.strictObject({ preference: z.string(), correction: z.string(), nothing: z.string() }),
  dimension_id: z.string().optional().describe("The path's, where given"),
  reason: z.string().optional().describe("Why it changes; needed from version 2 on"),
});

/** What is observed of people, and when. */
export const DIMENSION_OPERATIONS: readonly Door[] = [
  door({
    action: "put_dimension",
    method: "PUT",
    path: "/v1/dimensions/:dimension_id",
    status: 200,
    summary: "Writes a new version of a dimension of observation",
    body: dimensionBody,
    run: (services, caller, { params, body }) =>
      putDimension(services, caller, params.dimension_id, body),
  }),
  door({
    action: "list_dimensions",
    method: "GET",
    path: "/v1/dimensions",
    status: 200,
    summary: "What is observed of people: the dimensions of the platform and the tenant's own",
    run: (services, caller) => listDimensions(services, caller),
  }),
  door({
    action: "test_dimension",
    method: "POST",
    path: "/v1/dimensions/:dimension_id/test",
    status: 200,
    summary: "What is observed in a dimension's examples; nothing is kept",
    body: dimensionBody,
    run: (services, caller, { params, body }) =>
      testDimension(services, caller, params.dimension_id, body),
  }),
  door({
    action: "observe_subject",
    method: "POST",
    path: "/v1/subjects/:subject/observe",
    status: 200,
    summary: "Queues the observation of what a subject's sessions said since the last one",
    body: observeSubjectInput,
    run: (services, caller, { params, body }) =>
      observeSubject(services, caller, params.subject, body),
  }),
];
