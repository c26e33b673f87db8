import { bestOf, type Scores } from "./score.js";

/** What the likest turn's meaning counts, beside the words of the turn that matches best. */
const MEANING = 0.6;
/** Likeness up to which two texts have nothing to do with each other. */
const FLOOR = 0.3;
/** Likeness from which a turn is found that shares no word with the question. */
const ALONE = 0.45;

/** True where a turn's meaning alone is evidence. */
export function meansAlike(likeness: Float64Array | null): boolean {
  return likeness !== null && bestOf(likeness) >= ALONE;
}

/** Adds what turns mean to how well their words match, each as a share of its best. */
export function fuse(byWords: Scores, likeness: Float64Array | null): Scores {
  const likest = likeness === null ? 0 : bestOf(likeness);
  if (likeness === null || likest <= FLOOR) return byWords;
  const { scores } = byWords;
  const unit = MEANING * (bestOf(scores) || 1);
  const fused = new Float64Array(scores);
  const meaning = new Float64Array(scores.length);
  const slots: number[] = [];
  for (let slot = 0; slot < fused.length; slot += 1) {
    const share = ((likeness[slot] ?? 0) - FLOOR) / (likest - FLOOR);
    if (share > 0 && ((scores[slot] ?? 0) > 0 || (likeness[slot] ?? 0) >= ALONE)) {
      meaning[slot] = unit * share;
      fused[slot] = (fused[slot] ?? 0) + unit * share;
    }
    if ((fused[slot] ?? 0) > 0) slots.push(slot);
  }
  return { ...byWords, scores: fused, matched: slots, meaning };
}
