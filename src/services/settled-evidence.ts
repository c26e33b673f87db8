import { listEvidence } from "../storage/queries/turn-list-evidence.js";
import { evidenceClock } from "./clocks.js";
import { likelyShown, openShown } from "./evidence-opening.js";
import { type EvidenceSearch, type Found, foundOf, rankTurns } from "./evidence-search.js";
import { TURNS } from "./index-filling.js";
import type { Operation } from "./operation.js";
import { quotedBy } from "./recall-filter.js";
import type { Services } from "./services.js";
import { commitSettled, type SettledIndex, settledIndex } from "./settled-index.js";

/** The settled index of the run's subject; null where there is none, or where it can't tell what is shown: what is meant or quoted counts. */
export function settledTurns(
  services: Services,
  { permit, asked, meaning }: EvidenceSearch,
): SettledIndex | null {
  const isTold = meaning === null && quotedBy(asked) === null;
  return isTold ? settledIndex(services, permit, TURNS) : null;
}

/** Searches the turns of a subject that stands still, and audits it, in one round trip. Null where it has moved. */
export async function searchSettled(
  op: Operation<"recall_turns">,
  search: EvidenceSearch,
  settled: SettledIndex,
  evidenceDays: number,
): Promise<Found | null> {
  const { permit, asked } = search;
  const { index } = settled;
  const result = rankTurns(index, search);
  const likely = likelyShown(result.hits, asked);
  const ids = likely.map(({ id }) => id);
  const ttl = evidenceClock(evidenceDays, index.firstEnd(ids));
  const rows = await commitSettled(op.services, permit, settled, [
    listEvidence(permit, { ids, newerThan: index.revision, newerMax: 0 }),
    op.audit(permit, { reads: [{ kind: "turn", ids }], ttl }),
  ]);
  if (rows === null) return null;
  // One that is gone although the subject stood still was deleted by nobody of ours: the next recall looks closer.
  if (rows[0].length < ids.length) index.stillness.stir();
  return foundOf(index, result, openShown(op.services, search, likely, rows[0]));
}
