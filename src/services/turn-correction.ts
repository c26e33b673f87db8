import { type TurnId, trustedId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import type { TurnContent } from "../domain/turn.js";
import { analyseTurn } from "../recall/analyse.js";
import { encodeTerms } from "../recall/terms.js";
import type { TurnRow } from "../storage/queries/turn-list-by-session.js";
import { type Standing, termsPlace, turnPlace } from "./turn-writing.js";

/** The text that stands instead of a turn's, with its search terms. The speaker's name isn't searched for with it any more. */
export function sealCorrection(
  key: SubjectKey,
  row: Standing & Pick<TurnRow, "observedAt">,
  content: TurnContent,
): {
  readonly turnId: TurnId;
  readonly contentSealed: Uint8Array;
  readonly termsSealed: Uint8Array;
} {
  const { turnId, sessionId, role, observedAt } = row;
  const { text } = content;
  const terms = analyseTurn({ text, speaker: null, isDerived: role === "assistant", observedAt });
  const place = termsPlace(turnId, trustedId<"SessionId">(sessionId));
  return {
    turnId,
    contentSealed: key.seal(turnPlace(row), JSON.stringify(content)),
    termsSealed: key.sealTerms(place, encodeTerms(terms)),
  };
}
