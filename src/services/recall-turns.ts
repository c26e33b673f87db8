import { whyAbove } from "../recall/explain.js";
import { type Matcher, matcherOf } from "../recall/match.js";
import { type Coverage, NEXT_STEP, type RecallOutcome } from "../recall/outcome.js";
import type { Hit } from "../recall/search-result.js";
import { type Snippet, snippetOf } from "../recall/snippet.js";
import type { Caller } from "./caller.js";
import { evidenceClock } from "./clocks.js";
import type { FoundTurn } from "./evidence-opening.js";
import { type EvidenceSearch, type Found, searchEvidence } from "./evidence-search.js";
import { govern } from "./govern.js";
import { recallInput } from "./inputs/pack.js";
import { parseInput } from "./inputs/parse.js";
import { readMeaning } from "./meaning.js";
import type { DecisionReply, Operation } from "./operation.js";
import { pinOf } from "./pins.js";
import { sayingNextStep } from "./recall-refusals.js";
import { recallAsk } from "./recall-stage.js";
import type { Services } from "./services.js";
import { searchSettled, settledTurns } from "./settled-evidence.js";
import { settledOrBehind } from "./settled-index.js";

export interface RecallHitReply {
  readonly turn_id: string;
  readonly text: string;
  readonly role: string;
  readonly speaker: string | null;
  readonly observed_at: string;
  readonly score: number;
  /** Parts of the score: `words`, `previous`, `next` and `session` are added up, each other one multiplies that. */
  readonly why: Readonly<Record<string, number>>;
  /** The part that puts it above the next hit: "newer" where they are equal; null for the last one and in a fallback. */
  readonly above_next_by: string | null;
  /** The part of the text that has most of what was asked for, with the places that match in it. */
  readonly snippet: Snippet;
  /** How often the same was said in the same voice further down. */
  readonly repeats: number;
  readonly source: {
    readonly source_id: string | null;
    readonly session_id: string;
    readonly run_id: string;
    readonly route_id: string;
    readonly seq: number;
  };
}

export interface RecallReply {
  readonly outcome: RecallOutcome;
  readonly hits: readonly RecallHitReply[];
  /** How much was searched; `capped` and `pending` say what wasn't. */
  readonly coverage: Coverage;
  /** "recent" where the question had nothing to search by, so the newest turns are shown. */
  readonly fallback: "recent" | null;
  readonly next_step: string;
  readonly decision: DecisionReply;
}

/** Recalls turns of the run's own subject as quoted evidence, from the routes that its pin may read. */
export function recallTurns(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<RecallReply> {
  return sayingNextStep(
    govern(services, caller, "recall_turns", async (op) => {
      const input = parseInput(recallInput, body);
      const { pin, key } = await pinOf(op, run);
      const permit = op.permit(
        { type: "run", pin },
        { recall: await recallAsk(services, caller, pin, input) },
      );
      const meaning = await readMeaning(services, input);
      const search = { permit, key, asked: input, meaning };
      const { evidenceDays } = await services.directory.tenant(caller.principal.claims.tenant);
      const answer = (found: Found) => recallReply(op, input.query, found);
      return await settledOrBehind(op, permit, settledTurns(services, search), {
        settled: (settled) => searchSettled(op, search, settled, evidenceDays, answer),
        behind: async (again) =>
          answer(await searchBehind(op, { ...search, permit: again }, evidenceDays)),
      });
    }),
  );
}

/** Where the index may be behind: it is caught up first, so that takes two round trips. */
async function searchBehind(
  op: Operation<"recall_turns">,
  search: EvidenceSearch,
  evidenceDays: number,
): Promise<Found> {
  const { permit } = search;
  return await op.services.store.transact(permit, async (tx) => {
    const [result] = await searchEvidence(op.services, tx, search, []);
    await tx.commit([
      op.audit(permit, {
        reads: [{ kind: "turn", ids: result.turns.map(({ turn }) => turn.row.turnId) }],
        ttl: evidenceClock(evidenceDays, firstEnd(result)),
      }),
    ]);
    return result;
  });
}

function recallReply(
  op: Operation<"recall_turns">,
  query: string,
  { outcome, coverage, fallback, turns }: Found,
): RecallReply {
  const matchesIn = matcherOf(query);
  return {
    outcome,
    hits: turns.map((one, at) => turnHitReply(one, turns[at + 1]?.hit, matchesIn)),
    coverage,
    fallback,
    next_step: NEXT_STEP[outcome],
    decision: op.decision(),
  };
}

/** When the first of the turns that were read stops being evidence. */
function firstEnd({ turns }: Found): Date | null {
  const ends = turns.map(({ until }) => until.getTime());
  return ends.length === 0 ? null : new Date(Math.min(...ends));
}

export function turnHitReply(
  { turn: { row, content, role, speaker }, hit, sourceId }: FoundTurn,
  next: Hit | undefined,
  matchesIn: Matcher,
): RecallHitReply {
  return {
    turn_id: row.turnId,
    text: content.text,
    role,
    speaker,
    observed_at: row.observedAt.toISOString(),
    score: hit.score,
    why: hit.parts,
    above_next_by: whyAbove(hit, next),
    snippet: snippetOf(content.text, hit.language, matchesIn),
    repeats: hit.repeats,
    source: {
      source_id: sourceId,
      session_id: row.sessionId,
      run_id: row.runId,
      route_id: row.routeId,
      seq: row.seq,
    },
  };
}
