import { z } from "zod";
import { FIELD_CLASSES, FIELD_WRITERS, KEY_SCOPES } from "../domain/field.js";

/** Describes a field's definition for callers. The rules themselves are the domain's (`field-rules.ts`), which parses it. */
export const putFieldBody = z.strictObject({
  class: z.enum(FIELD_CLASSES),
  description: z.string(),
  value_schema: z
    .record(z.string(), z.unknown())
    .describe("A closed, bounded JSON Schema: no free text"),
  writers: z.array(z.enum(FIELD_WRITERS)).describe("Who may vouch for its values"),
  owner: z.string().describe("Team that answers for it"),
  scope: z.enum(KEY_SCOPES),
  routes: z.union([z.literal("global"), z.array(z.string())]),
  answers: z.strictObject({
    edited_by_human: z.boolean(),
    wrong_value_repeats: z.boolean(),
    writer_and_audit_named: z.boolean(),
  }),
  sensitive: z.boolean().optional().describe("Only people decide over it"),
  authorises_tools: z.boolean().optional().describe("Two people decide over it"),
  criterion: z.string().optional().describe("Extraction criterion that lets an evaluator decide"),
  field_id: z.string().optional().describe("The path's, where given"),
  reason: z.string().optional().describe("Why the field changes; needed from version 2 on"),
});
