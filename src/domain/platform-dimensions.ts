import type { Dimension } from "./dimension.js";
import { trustedId } from "./ids.js";

function platform(id: string, description: string, examples: Dimension["examples"]): Dimension {
  return Object.freeze({
    dimension_id: trustedId<"DimensionId">(id),
    entity: "person",
    type: "string",
    description,
    tags: ["memory_extraction"],
    // Of each language its file of cues has them.
    cues: [],
    is_safety: false,
    examples,
  } as const);
}

const NOTHING = "Ok, thanks. What time do you close today?";

/** Those of every tenant. A tenant's own join them and can't take their names. */
export const PLATFORM_DIMENSIONS: readonly Dimension[] = Object.freeze([
  platform(
    "communication_preference",
    "how, when and in which form the person wants to be spoken or written to",
    {
      preference: "I prefer a call in the morning, before work.",
      correction:
        "From now on please call me in the evening instead, mornings don't work any more.",
      nothing: NOTHING,
    },
  ),
  platform("goals", "what the person wants to reach, and why it matters to them", {
    preference: "I want to walk to the lake without a break by summer.",
    correction: "The lake is too far after all: I'd like to manage the park first.",
    nothing: NOTHING,
  }),
  platform("barriers", "what keeps the person from what they want or were asked to do", {
    preference: "I can't get to the pharmacy before it closes.",
    correction: "The pharmacy isn't the trouble any more, but the tablets are too expensive.",
    nothing: NOTHING,
  }),
  platform(
    "change",
    "what changed for the person or in how they feel, as of its date: never a trait",
    {
      preference: "I started night shifts last week.",
      correction: "I'm back on day shifts, the night shifts are no longer needed.",
      nothing: NOTHING,
    },
  ),
  platform("engagement", "how the person takes part: what they keep up, miss or ask for", {
    preference: "I've been doing the exercises every day.",
    correction: "I skipped the exercises all of this week.",
    nothing: NOTHING,
  }),
  platform(
    "reported_context",
    "circumstances that the person reports and that no other dimension takes",
    {
      preference: "I live with my daughter, on the third floor without a lift.",
      correction: "My daughter moved out, I live alone since May.",
      nothing: NOTHING,
    },
  ),
]);

/** True for the name of a dimension that every tenant has. */
export function isPlatformDimension(id: string): boolean {
  return PLATFORM_DIMENSIONS.some(({ dimension_id }) => dimension_id === id);
}
