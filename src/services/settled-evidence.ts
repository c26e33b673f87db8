import { listEvidence } from "../storage/queries/turn-list-evidence.js";
import { evidenceClock } from "./clocks.js";
import { likelyShown, openShown } from "./evidence-opening.js";
import { type EvidenceSearch, type Found, foundOf, rankTurns } from "./evidence-search.js";
import { TURNS } from "./index-filling.js";
import type { Operation } from "./operation.js";
import { quotedBy } from "./recall-filter.js";
import type { Services } from "./services.js";
import { leaveOutMissing, openSettled, type SettledIndex, settledIndex } from "./settled-index.js";

/** The settled index of the run's subject; null where there is none, or where it can't tell what is shown: what is meant or quoted counts. */
export function settledTurns(
  services: Services,
  { permit, asked, meaning }: EvidenceSearch,
): SettledIndex | null {
  const isTold = meaning === null && quotedBy(asked) === null;
  return isTold ? settledIndex(services, permit, TURNS) : null;
}

/**
 * Searches the turns of a subject that stands still, and audits it, in one round trip; what was found is made into an answer
 * while the server commits. Null where the subject has moved, or isn't as its index says.
 */
export async function searchSettled<Answer>(
  op: Operation<"recall_turns">,
  search: EvidenceSearch,
  settled: SettledIndex,
  evidenceDays: number,
  answer: (found: Found) => Answer,
): Promise<Answer | null> {
  const { permit, asked } = search;
  const { index } = settled;
  const result = rankTurns(index, search);
  const likely = likelyShown(result.hits, asked);
  const ids = likely.map(({ id }) => id);
  const ttl = evidenceClock(evidenceDays, index.firstEnd(ids));
  return await openSettled(op.services, permit, settled, {
    reads: [listEvidence(permit, { ids, newerThan: index.revision, newerMax: 0 })],
    audit: op.audit(permit, { reads: [{ kind: "turn", ids }], ttl }),
    open: ([rows]) => {
      const shown = openShown(op.services, search, likely, rows);
      const isShort = leaveOutMissing(
        settled,
        ids,
        shown.map(({ hit }) => hit.id),
      );
      return isShort ? null : answer(foundOf(index, result, shown));
    },
  });
}
