import { openCues } from "../../src/compose/cues.js";
import { trustedId } from "../../src/domain/ids.js";
import type { ObservedSpeaker, ObserveSource } from "../../src/domain/observation.js";
import { PLATFORM_DIMENSIONS } from "../../src/domain/platform-dimensions.js";
import type { TurnRole } from "../../src/domain/turn.js";

export const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 9, minute));

export function turn(
  id: string,
  role: TurnRole,
  text: string,
  speaker: ObservedSpeaker = "subject",
) {
  return { id: trustedId<"TurnId">(id), role, speaker, text, observedAt: at(10) };
}

/** What an observer is shown, with the cues and dimensions that are shipped. */
export function source(given: Partial<ObserveSource>): ObserveSource {
  return {
    dimensions: PLATFORM_DIMENSIONS,
    cues: openCues({}),
    turns: [],
    known: [],
    model: null,
    ...given,
  };
}
