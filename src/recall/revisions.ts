/** A stretch of a subject's revisions: later than `after`, up to and with `upto`. */
export interface Revisions {
  readonly after: number;
  readonly upto: number;
}

/** What stretches leave out, up to the end of time. They come in the order of their ends. */
export function gapsBetween(covered: readonly Revisions[]): readonly Revisions[] {
  const gaps: Revisions[] = [];
  let reached = 0;
  for (const { after, upto } of covered) {
    if (after > reached) gaps.push({ after: reached, upto: after });
    reached = Math.max(reached, upto);
  }
  return [...gaps, { after: reached, upto: Number.MAX_SAFE_INTEGER }];
}
