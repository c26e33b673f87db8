import { type Coverage, NEXT_STEP, type RecallOutcome } from "../recall/outcome.js";
import type { Caller } from "./caller.js";
import { evidenceClock } from "./clocks.js";
import { type Found, type FoundTurn, searchEvidence } from "./evidence-search.js";
import { govern } from "./govern.js";
import { recallInput } from "./inputs/pack.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import { recallAsk } from "./recall-stage.js";
import type { Services } from "./services.js";

export interface RecallHitReply {
  readonly turn_id: string;
  readonly text: string;
  readonly role: string;
  readonly speaker: string | null;
  readonly observed_at: string;
  readonly score: number;
  readonly why: Readonly<Record<string, number>>;
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
  return govern(services, caller, "recall_turns", async (op) => {
    const input = parseInput(recallInput, body);
    const { pin, key } = await pinOf(op, run);
    const permit = op.permit(
      { type: "run", pin },
      { recall: await recallAsk(services, caller, pin, input) },
    );
    const search = {
      permit,
      pin,
      key,
      query: input.query,
      limit: input.limit,
      routes: input.source_routes,
    };
    const { evidenceDays } = await services.directory.tenant(caller.principal.claims.tenant);
    const found = await services.store.transact(permit, async (tx) => {
      const [result] = await searchEvidence(services, tx, search, []);
      await tx.commit([
        op.audit(permit, {
          reads: [{ kind: "turn", ids: result.turns.map(({ turn }) => turn.row.turnId) }],
          ttl: evidenceClock(evidenceDays, firstEnd(result)),
        }),
      ]);
      return result;
    });
    const { outcome, coverage, fallback } = found;
    return {
      outcome,
      hits: found.turns.map(toReply),
      coverage,
      fallback,
      next_step: NEXT_STEP[outcome],
      decision: op.decision(),
    };
  });
}

/** When the first of the turns that were read stops being evidence. */
function firstEnd({ turns }: Found): Date | null {
  const ends = turns.map(({ until }) => until.getTime());
  return ends.length === 0 ? null : new Date(Math.min(...ends));
}

function toReply({
  turn: { row, content, role, speaker },
  hit,
  sourceId,
}: FoundTurn): RecallHitReply {
  return {
    turn_id: row.turnId,
    text: content.text,
    role,
    speaker,
    observed_at: row.observedAt.toISOString(),
    score: hit.score,
    why: hit.parts,
    source: {
      source_id: sourceId,
      session_id: row.sessionId,
      run_id: row.runId,
      route_id: row.routeId,
      seq: row.seq,
    },
  };
}
