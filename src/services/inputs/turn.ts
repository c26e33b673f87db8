import { z } from "zod";
import { LIMITS } from "../../domain/limits.js";
import { anyText, count, expectedVersion, externalId, instant, text } from "./parse.js";

/** An utterance. */
const uttered = { text: text(LIMITS.turnCharsMax), speaker: externalId.optional() };
/** A tool call (its text are the arguments) or a tool result; their texts may be empty. */
const toolTurn = {
  role: z.enum(["tool_call", "tool_result"]),
  text: anyText(LIMITS.turnCharsMax),
  tool: externalId,
  call_id: externalId,
  speaker: externalId.optional(),
};
const OTHER_ROLES = z.enum(["assistant", "system"]);
/** Who is named may be the subject; only the application knows. */
const byUser = { ...uttered, speaker_is_subject: z.boolean().optional() };

const said = { source_id: externalId.optional(), observed_at: instant.optional() };

export const turnInput = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("user"), ...byUser, ...said }),
  z.strictObject({ role: OTHER_ROLES, ...uttered, ...said }),
  z.strictObject({ ...toolTurn, ...said }),
]);

export const turnsInput = z.array(turnInput).min(1).max(LIMITS.turnsPerAppendMax);

export const appendTurnsInput = z.strictObject({
  turns: turnsInput,
  expected_version: expectedVersion,
});

export const listTurnsInput = z.strictObject({
  limit: count(LIMITS.pageRowsMax).default(50),
  cursor: z.string().max(2_048).optional(),
});

/** One line of an import: a turn with the session in which it was said. */
const past = { session: externalId, source_id: externalId, observed_at: instant };
export const importRow = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("user").default("user"), ...byUser, ...past }),
  z.strictObject({ role: OTHER_ROLES, ...uttered, ...past }),
  z.strictObject({ ...toolTurn, ...past }),
]);
export type ImportRow = z.output<typeof importRow>;
