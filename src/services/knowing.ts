import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { ReachedTurn } from "../storage/queries/reach-find.js";
import {
  type Forgotten,
  listPromotionsOf,
  listReachedEpisodes,
  listUnprovenCandidates,
  type ReachedCandidate,
} from "../storage/queries/reach-find-derived.js";
import {
  type KnowingRun,
  listRecordsOf,
  listRunsOfChats,
  listToldRuns,
} from "../storage/queries/run-list-knowing.js";
import type { Transaction } from "../storage/store.js";

const EVER = new Date(0);

interface Knowable {
  readonly rows: readonly ReachedTurn[];
  readonly forgotten: Forgotten;
  /** Ids under which runs may have been told of it. */
  readonly sources: readonly string[];
  readonly resting: readonly ReachedCandidate[];
}

/** Who knew of it, what was digested of what those wrote, and what they proposed without saying of what. */
export async function knowingOf(
  tx: Transaction,
  permit: Permit,
  { rows, forgotten, sources, resting }: Knowable,
) {
  const candidates = resting.map(({ candidateId }) => candidateId);
  const [promotions] = await tx.send([listPromotionsOf(permit, candidates)]);
  const values = promotions.map(({ promotionId }) => promotionId);
  const whole = forgotten.runs.map((runId) => ({ runId, since: EVER }) as KnowingRun);
  const said = rows.map(({ runId, recordedAt }) => ({ runId, since: recordedAt }));
  const spread = await spreadOf(tx, permit, {
    first: earliest([...whole, ...said]),
    forgotten,
    sources: [...sources, ...values],
  });
  const [unproven] = await tx.send([listUnprovenCandidates(permit, spread.knowing)]);
  const rest = unproven.filter(({ candidateId }) => !candidates.includes(candidateId));
  return { ...spread, unproven: rest };
}

interface Spreading {
  readonly first: readonly KnowingRun[];
  readonly forgotten: Forgotten;
  readonly sources: readonly string[];
}

/**
 * How far it spread: who knows tells the other runs of the chat, and what those wrote, its digests and records, is told to further
 * ones. In as many steps as it takes: each finds more runs, or earlier times.
 */
async function spreadOf(tx: Transaction, permit: Permit, { first, forgotten, sources }: Spreading) {
  for (let known = first; ; ) {
    const [chats] = await tx.send([listRunsOfChats(permit, known)]);
    const all = earliest([...known, ...chats]);
    const knowing = all.map(byAnyClock);
    const [digests, records] = await tx.send([
      listReachedEpisodes(permit, forgotten, knowing),
      listRecordsOf(permit, knowing),
    ]);
    const derived = [
      ...digests.map(({ episodeId }) => episodeId),
      ...records.map(({ recordId }) => recordId),
    ];
    const [told] = await tx.send([listToldRuns(permit, [...sources, ...derived])]);
    const more = earliest([...all, ...told]);
    if (isSame(more, all)) {
      const ids = chats.flatMap(({ runId, sessionId }) => [runId, sessionId]);
      return { knowing, digests, ids };
    }
    known = more;
  }
}

/** Of two that have the same runs or more. */
function isSame(more: readonly KnowingRun[], all: readonly KnowingRun[]): boolean {
  if (more.length !== all.length) return false;
  const sinces = new Map(all.map(({ runId, since }) => [runId, since.getTime()]));
  return more.every(({ runId, since }) => sinces.get(runId) === since.getTime());
}

/** What a run wrote after it knew may stand under an earlier time: another host wrote it down. */
function byAnyClock({ runId, since }: KnowingRun): KnowingRun {
  const earlier = Math.max(since.getTime() - LIMITS.clocksApartSecondsMax * 1_000, EVER.getTime());
  return { runId, since: new Date(earlier) };
}

/** Each run once, from when it first knew. */
function earliest(runs: readonly KnowingRun[]): readonly KnowingRun[] {
  const known = new Map<string, KnowingRun>();
  for (const run of runs) {
    const before = known.get(run.runId);
    if (before === undefined || run.since < before.since) known.set(run.runId, run);
  }
  return [...known.values()];
}
