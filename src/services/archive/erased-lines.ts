import { RETURN_RULES } from "../../domain/erasure-rules.js";
import type { TombstoneRow } from "../../storage/queries/tombstone-find.js";
import type { Accepted, Parsed } from "./accept-lines.js";
import { skipped } from "./line-replies.js";

/** Lines that say something from before their person was forgotten, apart from the others. */
export function splitErased(
  lines: readonly Accepted[],
  tombstone: TombstoneRow | undefined,
): Parsed {
  if (tombstone === undefined) return { accepted: lines, rest: [] };
  const isTaken = ({ codec, line }: Accepted) =>
    RETURN_RULES.erase.takes({
      observedAt: line[codec.table.since] as Date,
      forgottenAt: tombstone.recordedAt,
      isNewer: false,
      isDifferent: false,
      isOver: false,
    });
  return {
    accepted: lines.filter(isTaken),
    rest: lines.filter((line) => !isTaken(line)).map((line) => skipped(line, "erased")),
  };
}
