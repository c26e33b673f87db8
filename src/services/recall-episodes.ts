import type { Digest, Outcome } from "../domain/digest.js";
import { type Coverage, NEXT_STEP, type RecallOutcome } from "../recall/outcome.js";
import type { Caller } from "./caller.js";
import { episodeClock } from "./clocks.js";
import { beginEpisodeSearch, type FoundEpisode } from "./episode-search.js";
import { govern } from "./govern.js";
import { recallInput } from "./inputs/pack.js";
import { parseInput } from "./inputs/parse.js";
import { named } from "./named-statements.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import { sayingNextStep } from "./recall-refusals.js";
import { recallAsk } from "./recall-stage.js";
import type { Services } from "./services.js";

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

/** Recalls episodes of the run's own subject, from the routes that its pin may read. Two network round trips. */
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
      const found = await services.store.transact(permit, async (tx) => {
        const searching = await beginEpisodeSearch(services, tx, { permit, key, asked: input });
        const wanted = named(searching.statements);
        const result = await searching.end(wanted.rowsOf(await tx.send(wanted.list)));
        const ids = result.episodes.map(({ row }) => row.episodeId);
        await tx.commit([
          op.audit(permit, {
            reads: [{ kind: "episode", ids }],
            ttl: episodeClock(services.retention.episodeDays),
          }),
        ]);
        return result;
      });
      const { outcome, coverage, fallback } = found;
      return {
        outcome,
        hits: found.episodes.map(toReply),
        coverage,
        fallback,
        next_step: NEXT_STEP[outcome],
        decision: op.decision(),
      };
    }),
  );
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
