import { LIMITS } from "../../domain/limits.js";
import type { Capability } from "./capability.js";

const text = { type: "string", minLength: 1, maxLength: LIMITS.escalationCharsMax };

/** The tool by which a model hands its run to a human, where the route lists it. */
export const ESCALATE_RUN = "escalate_run";

export const ESCALATE_TOOL: Capability = {
  description:
    "Stops here and asks a human. For where going on would need a guess, or a right that you don't have.",
  input_schema: {
    type: "object",
    properties: {
      reason: text,
      evidence: { type: "array", items: text, maxItems: LIMITS.workingItemsMax },
    },
    required: ["reason"],
    additionalProperties: false,
  },
  run: ({ reason, evidence }, { escalate }) => {
    // Checked against the schema before.
    escalate(reason as string, (evidence ?? []) as readonly string[]);
  },
};
