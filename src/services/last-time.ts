import type { TraceOutcome } from "../domain/run-trace.js";
import { readLastEscalation } from "../storage/queries/escalation-last.js";
import { shareSubject } from "../storage/queries/subject-read.js";
import { listEarlierTraces, type TraceRow } from "../storage/queries/trace-list.js";
import type { Caller } from "./caller.js";
import { type Escalation, openEscalation } from "./escalations.js";
import { govern } from "./govern.js";
import { parseInput } from "./inputs/parse.js";
import { lastTimeInput } from "./inputs/trace.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import { recallAsk } from "./recall-stage.js";
import { openFacts } from "./run-traces.js";
import type { Services } from "./services.js";

export interface LastTimeReply {
  /** Earlier runs, newest first. */
  readonly runs: readonly {
    readonly run_id: string;
    readonly session_id: string;
    readonly route_id: string;
    readonly outcome: TraceOutcome;
    readonly terminal_reason: string;
    readonly tickets: readonly string[];
    readonly ended_at: string;
  }[];
  /** Why a run last waited for a human; null where none did. */
  readonly last_escalation: Escalation | null;
  readonly decision: DecisionReply;
}

/** What happened last time: earlier runs with their tickets, and the last escalation. On request alone, under the pin's allowlist. */
export function lastTime(
  services: Services,
  caller: Caller,
  run: string,
  query: unknown,
): Promise<LastTimeReply> {
  return govern(services, caller, "last_time", async (op) => {
    const { limit } = parseInput(lastTimeInput, query);
    const { pin, key } = await pinOf(op, run);
    const recall = await recallAsk(services, caller, pin, {});
    const permit = op.permit({ type: "run", pin }, { recall });
    const [rows, escalations] = await services.store.transact(permit, async (tx) => {
      const [, ...found] = await tx.send([
        shareSubject(permit),
        listEarlierTraces(permit, limit),
        readLastEscalation(permit),
      ]);
      const ids = found[0].map(({ traceId }) => traceId);
      const escalated = found[1].map(({ escalationId }) => escalationId);
      await tx.commit([
        op.audit(permit, {
          reads: [
            { kind: "trace", ids },
            { kind: "escalation", ids: escalated },
          ],
        }),
      ]);
      return found;
    });
    const last = openEscalation(escalations[0], key, services.onAlarm);
    return {
      runs: rows.flatMap((row) => earlierRun(row, openFacts(services, row, key))),
      last_escalation: last,
      decision: op.decision(),
    };
  });
}

/** None where its trace doesn't open. */
function earlierRun(row: TraceRow, facts: ReturnType<typeof openFacts>): LastTimeReply["runs"] {
  if (facts === null) return [];
  return [
    {
      run_id: row.runId,
      session_id: row.sessionId,
      route_id: row.routeId,
      outcome: row.outcome,
      terminal_reason: row.terminalReason,
      tickets: facts.tickets,
      ended_at: row.recordedAt.toISOString(),
    },
  ];
}
