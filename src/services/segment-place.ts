import type { Place } from "../domain/keyring.js";
import type { SegmentRow } from "../storage/queries/segment-list.js";

/** A segment that was moved to another subject, or given another stretch, analyser or purge, doesn't open. */
export function segmentPlace(
  segment: Pick<
    SegmentRow,
    "segmentId" | "analyser" | "afterRevision" | "uptoRevision" | "purgeRevision"
  >,
): Place {
  const { segmentId, analyser, afterRevision, uptoRevision, purgeRevision } = segment;
  return {
    table: "segment",
    column: "sealed",
    row: segmentId,
    within: JSON.stringify([analyser, afterRevision, uptoRevision, purgeRevision]),
    version: 1,
  };
}
