import { LIMITS } from "./limits.js";
import type { ConsolidateSource, ModelObservation, ModelSection } from "./user-model.js";

/** Characters of a line beside its text: ids, dimension, time, and the keys before them. */
const FRAME_CHARS = 200;
/** Characters of an id that a line names beside its own. */
const ID_CHARS = 40;

/**
 * What of a source one question to a language model has room for: the model as it stands, what is new, then what stands behind
 * them, the newest of each first. What has no room is counted. What an answer rests on is still checked against all of it.
 */
export function withinRoom({
  sections,
  fresh,
  earlier,
  leftOut,
}: ConsolidateSource): ConsolidateSource {
  let chars = 0;
  let without = leftOut;
  const fits = (length: number): boolean => {
    const hasRoom = chars + length <= LIMITS.consolidateCharsMax;
    if (hasRoom) chars += length;
    else without += 1;
    return hasRoom;
  };
  const model = sections.flatMap((section): readonly ModelSection[] => {
    const statements = section.statements.filter(({ text, observation_ids }) =>
      fits(text.length + FRAME_CHARS + ID_CHARS * observation_ids.length),
    );
    return statements.length === 0 ? [] : [{ ...section, statements }];
  });
  const newestOf = (observations: readonly ModelObservation[]) =>
    observations
      .toReversed()
      .filter(({ text }) => fits(text.length + FRAME_CHARS))
      .toReversed();
  const [news, before] = [newestOf(fresh), newestOf(earlier)];
  return { sections: model, fresh: news, earlier: before, leftOut: without };
}
