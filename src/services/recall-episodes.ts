import type { Digest, Outcome } from "../domain/digest.js";
import type { EpisodeId } from "../domain/ids.js";
import type { Permit } from "../domain/permit.js";
import { type Coverage, NEXT_STEP, type RecallOutcome } from "../recall/outcome.js";
import { findEpisodes } from "../storage/queries/episode-find.js";
import type { Statement } from "../storage/sql.js";
import type { Caller } from "./caller.js";
import { episodeClock } from "./clocks.js";
import { EPISODES } from "./episode-index.js";
import {
  beginEpisodeSearch,
  type EpisodeSearch,
  type FoundEpisode,
  type FoundEpisodes,
  foundOf,
  idsOf,
  rankEpisodes,
} from "./episode-search.js";
import { govern } from "./govern.js";
import { recallInput } from "./inputs/pack.js";
import { parseInput } from "./inputs/parse.js";
import { named } from "./named-statements.js";
import type { DecisionReply, Operation } from "./operation.js";
import { pinOf } from "./pins.js";
import { quotedBy } from "./recall-filter.js";
import { sayingNextStep } from "./recall-refusals.js";
import { recallAsk } from "./recall-stage.js";
import type { Services } from "./services.js";
import {
  leaveOutMissing,
  openSettled,
  type SettledIndex,
  settledIndex,
  settledOrBehind,
} from "./settled-index.js";

export interface EpisodeHitReply {
  readonly episode_id: string;
  readonly summary: Digest;
  readonly outcome: Outcome;
  readonly observed_at: string;
  readonly recorded_at: string;
  readonly score: number;
  readonly why: Readonly<Record<string, number>>;
  readonly source: {
    readonly source_route_id: string;
    readonly session_id: string;
    readonly run_id: string;
    readonly data_class: string | null;
  };
}

export interface RecallEpisodesReply {
  readonly outcome: RecallOutcome;
  readonly hits: readonly EpisodeHitReply[];
  readonly coverage: Coverage;
  /** "recent" where the question had nothing to search by, so the newest episodes are shown. */
  readonly fallback: "recent" | null;
  readonly next_step: string;
  readonly decision: DecisionReply;
}

/** Recalls episodes of the run's own subject, from the routes that its pin may read. One network round trip or two. */
export function recallEpisodes(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<RecallEpisodesReply> {
  return sayingNextStep(
    govern(services, caller, "recall_episodes", async (op) => {
      const input = parseInput(recallInput, body);
      const { pin, key } = await pinOf(op, run);
      const permit = op.permit(
        { type: "run", pin },
        { recall: await recallAsk(services, caller, pin, input) },
      );
      const search = { permit, key, asked: input };
      return await settledOrBehind(op, permit, settledEpisodes(services, search), {
        settled: (settled) => searchSettled(op, search, settled),
        behind: async (again) =>
          recallReply(op, await searchBehind(op, { ...search, permit: again })),
      });
    }),
  );
}

/** Null where there is none, or where it can't tell what is shown: what is quoted counts. */
function settledEpisodes(
  services: Services,
  { permit, asked }: EpisodeSearch,
): SettledIndex | null {
  return quotedBy(asked) === null ? settledIndex(services, permit, EPISODES) : null;
}

/** Of a person who stands still: in one round trip. Null where they have moved, or aren't as their index says. */
async function searchSettled(
  op: Operation<"recall_episodes">,
  search: EpisodeSearch,
  settled: SettledIndex,
): Promise<RecallEpisodesReply | null> {
  const { permit } = search;
  const result = rankEpisodes(settled.index, search);
  const ids = idsOf(result);
  return await openSettled(op.services, permit, settled, {
    reads: [findEpisodes(permit, ids)],
    audit: audit(op, permit, ids),
    open: ([rows]) => {
      const found = foundOf(op.services, search, settled.index, result, rows);
      const isShort = leaveOutMissing(
        settled,
        result.hits.map(({ id }) => id),
        found.episodes.map(({ hit }) => hit.id),
      );
      return isShort ? null : recallReply(op, found);
    },
  });
}

/** The same where the index may be behind: it is caught up first, so it takes two round trips. */
async function searchBehind(
  op: Operation<"recall_episodes">,
  search: EpisodeSearch,
): Promise<FoundEpisodes> {
  const { permit } = search;
  return await op.services.store.transact(permit, async (tx) => {
    const searching = await beginEpisodeSearch(op.services, tx, search);
    const wanted = named(searching.statements);
    const found = await searching.end(wanted.rowsOf(await tx.send(wanted.list)));
    const ids = found.episodes.map(({ row }) => row.episodeId);
    await tx.commit([audit(op, permit, ids)]);
    return found;
  });
}

function recallReply(
  op: Operation<"recall_episodes">,
  { outcome, coverage, fallback, episodes }: FoundEpisodes,
): RecallEpisodesReply {
  return {
    outcome,
    hits: episodes.map(toReply),
    coverage,
    fallback,
    next_step: NEXT_STEP[outcome],
    decision: op.decision(),
  };
}

function audit(
  op: Operation<"recall_episodes">,
  permit: Permit,
  ids: readonly EpisodeId[],
): Statement {
  return op.audit(permit, {
    reads: [{ kind: "episode", ids }],
    ttl: episodeClock(op.services.retention.episodeDays),
  });
}

function toReply({ row, digest, hit }: FoundEpisode): EpisodeHitReply {
  return {
    episode_id: row.episodeId,
    summary: digest,
    outcome: row.outcome,
    observed_at: row.observedAt.toISOString(),
    recorded_at: row.recordedAt.toISOString(),
    score: hit.score,
    why: hit.parts,
    source: {
      source_route_id: row.routeId,
      session_id: row.sessionId,
      run_id: row.runId,
      data_class: row.dataClass,
    },
  };
}
