import { z } from "zod";
import { LIMITS } from "../../domain/limits.js";
import { TURN_ROLES } from "../../domain/turn.js";
import { anyText, count, expectedVersion, externalId, instant, text } from "./parse.js";

const said = {
  speaker: externalId.optional(),
  source_id: externalId.optional(),
  observed_at: instant.optional(),
};

/** A turn is an utterance, a tool call (its text are the arguments) or a tool result; their texts may be empty. */
export const turnInput = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.enum(["user", "assistant", "system"]),
    text: text(LIMITS.turnCharsMax),
    ...said,
  }),
  z.strictObject({
    role: z.enum(["tool_call", "tool_result"]),
    text: anyText(LIMITS.turnCharsMax),
    tool: externalId,
    call_id: externalId,
    ...said,
  }),
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
export const importRow = z.strictObject({
  session: externalId,
  source_id: externalId,
  role: z.enum(TURN_ROLES).default("user"),
  speaker: externalId.optional(),
  text: text(LIMITS.turnCharsMax),
  observed_at: instant,
  tool: externalId.optional(),
  call_id: externalId.optional(),
});
export type ImportRow = z.output<typeof importRow>;
