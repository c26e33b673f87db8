import type { Dimension } from "./dimension.js";
import { trustedId } from "./ids.js";

function platform(
  id: string,
  description: string,
  cues: string,
  examples: Dimension["examples"],
): Dimension {
  return Object.freeze({
    dimension_id: trustedId<"DimensionId">(id),
    entity: "person",
    type: "string",
    description,
    tags: ["memory_extraction"],
    cues: cues.split(/,\s+/),
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
    `prefer, call me, text me, email me, e-mail me, write to me, contact me, reach me, remind me, address me,
     best time, suits me, works for me, works best, work best, work better, keep it short, plain language,
     large print`,
    {
      preference: "I prefer a call in the morning, before work.",
      correction:
        "From now on please call me in the evening instead, mornings don't work any more.",
      nothing: NOTHING,
    },
  ),
  platform(
    "goals",
    "what the person wants to reach, and why it matters to them",
    `my goal, my aim, my plan is, i want to, i would like to, i'd like to, i hope to, i plan to,
     i'm planning to, i am planning to, i'm trying to, i am trying to, i'm saving, i am saving, matters to me,
     important to me, my dream`,
    {
      preference: "I want to walk to the lake without a break by summer.",
      correction: "The lake is too far after all: I'd like to manage the park first.",
      nothing: NOTHING,
    },
  ),
  platform(
    "barriers",
    "what keeps the person from what they want or were asked to do",
    `i can't, i cannot, i couldn't, i wasn't able to, i'm not able to, i am not able to, hard for me,
     difficult for me, i struggle, i'm struggling, too expensive, can't afford, no time, i don't have time,
     too tired, i forget, i keep forgetting, i'm afraid, i am afraid, side effect, gets in the way,
     get in the way`,
    {
      preference: "I can't get to the pharmacy before it closes.",
      correction: "The pharmacy isn't the trouble any more, but the tablets are too expensive.",
      nothing: NOTHING,
    },
  ),
  platform(
    "change",
    "what changed for the person or in how they feel, as of its date: never a trait",
    `no longer, any more, anymore, used to, from now on, i now, i've started, i have started, i started,
     i've stopped, i stopped, i quit, i changed, has changed, i moved, i've moved, i lost, recently,
     since last, these days, lately, i feel, i've been feeling, i switched, night shift`,
    {
      preference: "I started night shifts last week.",
      correction: "I'm back on day shifts, the night shifts are no longer needed.",
      nothing: NOTHING,
    },
  ),
  platform(
    "engagement",
    "how the person takes part: what they keep up, miss or ask for",
    `every day, every week, twice a day, once a week, i missed, i skipped, i've been doing, i have been doing,
     i've been taking, i kept up, i keep up, i finished, i completed, i always, i never, i usually`,
    {
      preference: "I've been doing the exercises every day.",
      correction: "I skipped the exercises all of this week.",
      nothing: NOTHING,
    },
  ),
  platform(
    "reported_context",
    "circumstances that the person reports and that no other dimension takes",
    `i live, i work, i'm a, i am a, i have a, i've got a, my job, my work, my wife, my husband, my partner,
     my son, my daughter, my children, my kids, my mother, my father, my family, my dog, my cat, my birthday,
     i'm allergic, i am allergic, allergic to, i was diagnosed, i take, i like, i love, i enjoy, my favourite,
     my favorite`,
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
