import type { TurnId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Touched } from "../domain/trace.js";
import { mergeSources } from "../recall/merge-sources.js";
import { type Coverage, NEXT_STEP, type RecallOutcome } from "../recall/outcome.js";
import { listCorrections, listObservations } from "../storage/queries/observation-list.js";
import { shareSubject } from "../storage/queries/subject-read.js";
import { listEvidence } from "../storage/queries/turn-list-evidence.js";
import type { Transaction } from "../storage/store.js";
import type { Caller } from "./caller.js";
import { observationClock } from "./clocks.js";
import { type EvidenceSearch, searchEvidence } from "./evidence-search.js";
import { govern } from "./govern.js";
import { type RecallObservationsInput, recallObservationsInput } from "./inputs/pack.js";
import { parseInput } from "./inputs/parse.js";
import { readMeaning } from "./meaning.js";
import {
  hitReplies,
  type ObservationHitReply,
  quotedIds,
  type SourcedHitReply,
} from "./observation-hits.js";
import { searchObservations } from "./observation-search.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import { sayingNextStep } from "./recall-refusals.js";
import { recallAsk } from "./recall-stage.js";
import type { Services } from "./services.js";
import { standingTurns } from "./standing-turns.js";
import { openTurns } from "./turn-reading.js";

export interface RecallObservationsReply {
  readonly outcome: RecallOutcome;
  /** Observations, and in scope `turns` or `both` turns: one list, best first. */
  readonly hits: readonly (ObservationHitReply | SourcedHitReply)[];
  /** How much of each was searched; null for what wasn't asked for. */
  readonly coverage: { readonly observations: Coverage | null; readonly turns: Coverage | null };
  /** "recent" where the question had nothing to search by, so the newest are shown. */
  readonly fallback: "recent" | null;
  readonly next_step: string;
  readonly decision: DecisionReply;
}

/**
 * Recalls what was observed of the run's own subject, each observation with the words that it was made of; on request
 * together with turns, one hit a source. Two network round trips.
 */
export function recallObservations(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<RecallObservationsReply> {
  return sayingNextStep(
    govern(services, caller, "recall_observations", async (op) => {
      const asked = parseInput(recallObservationsInput, body);
      const { pin, key } = await pinOf(op, run);
      const recall = await recallAsk(services, caller, pin, asked);
      const stage = recall.stageId === undefined ? {} : { stageId: recall.stageId };
      const tool = { name: op.action, ...stage };
      const permit = op.permit({ type: "run", pin }, { recall, tool });
      const meaning = asked.scope === "observations" ? null : await readMeaning(services, asked);
      const search = { permit, key, asked, meaning };
      const [found, evidence] = await services.store.transact(permit, async (tx) => {
        const result = await searchSources(services, tx, search);
        const quoted = quotedIds(result.hits);
        const [rows] = await tx.commit([
          listEvidence(permit, { ids: quoted, newerThan: 0, newerMax: 0 }),
          op.audit(permit, {
            reads: readsOf(result, quoted),
            ttl: observationClock(services.retention.observationDays),
          }),
        ]);
        return [result, rows] as const;
      });
      const turns = openTurns(evidence, key, services.onAlarm);
      const hits = hitReplies(found.hits, turns, asked.query);
      const outcome = hits.length > 0 ? "matches" : "no_matches";
      const { coverage, fallback } = found;
      const next_step = NEXT_STEP[outcome];
      return { outcome, hits, coverage, fallback, next_step, decision: op.decision() };
    }),
  );
}

interface SourcesSearch extends EvidenceSearch {
  readonly asked: RecallObservationsInput;
}

async function searchSources(services: Services, tx: Transaction, search: SourcesSearch) {
  const { asked } = search;
  const { turns, rows, observations } = await searchScope(services, tx, search);
  const fallback = turns?.fallback ?? observations?.fallback ?? null;
  const order = asked.mode === "phrase" || fallback !== null ? "newest" : "score";
  return {
    hits: mergeSources(
      standingTurns(turns?.turns ?? [], rows, search),
      observations?.observations ?? [],
      { order, limit: asked.limit, fits: [turns?.fit ?? 0, observations?.fit ?? 0] },
    ),
    coverage: {
      observations: observations?.coverage ?? null,
      turns: turns?.coverage ?? null,
    },
    fallback,
  };
}

/** What was asked for; with turns come those observations that say which of them stand corrected. */
async function searchScope(services: Services, tx: Transaction, search: SourcesSearch) {
  const { permit, asked } = search;
  const max = LIMITS.observationsSearchedMax;
  const share = shareSubject(permit);
  if (asked.scope === "turns") {
    const listed = [share, listCorrections(permit, max)] as const;
    const [turns, [, rows]] = await searchEvidence(services, tx, search, listed);
    return { turns, rows, observations: null };
  }
  const listed = [share, listObservations(permit, max)] as const;
  const [turns, [, rows]] =
    asked.scope === "observations"
      ? ([null, await tx.send(listed)] as const)
      : await searchEvidence(services, tx, search, listed);
  return { turns, rows, observations: await searchObservations(services, search, rows) };
}

type Sources = Awaited<ReturnType<typeof searchSources>>;

function readsOf({ hits }: Sources, quoted: readonly TurnId[]): readonly Touched[] {
  const turns = hits.flatMap((hit) => (hit.kind === "turn" ? [hit.one.turn.row.turnId] : []));
  const observations = hits.flatMap((hit) => (hit.kind === "turn" ? hit.derived : [hit.one]));
  return [
    { kind: "observation", ids: observations.map(({ row }) => row.observationId) },
    { kind: "turn", ids: [...new Set([...turns, ...quoted])] },
  ];
}
