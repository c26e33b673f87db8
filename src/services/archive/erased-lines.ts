import { mayReturn } from "../../domain/erasure-rules.js";
import type { TombstoneRow } from "../../storage/queries/tombstone-find.js";
import type { Accepted, Parsed } from "./accept-lines.js";
import { skipped } from "./line-replies.js";
import { sinceOf } from "./line-since.js";

/** Lines that mayn't come again since their person was forgotten, apart from the others: the reason decides. */
export function splitErased(
  lines: readonly Accepted[],
  tombstone: TombstoneRow | undefined,
): Parsed {
  if (tombstone === undefined) return { accepted: lines, rest: [] };
  const isTaken = (line: Accepted) => mayReturn(tombstone, sinceOf(line));
  return {
    accepted: lines.filter(isTaken),
    rest: lines.filter((line) => !isTaken(line)).map((line) => skipped(line, "erased")),
  };
}
