import { uuidv7 } from "uuidv7";
import { hoursAfter } from "../domain/clock.js";
import type { Place, SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import { NO_FACTS, type TraceFacts, type TraceOutcome } from "../domain/run-trace.js";
import { insertTrace } from "../storage/queries/trace-insert.js";
import type { TraceRow } from "../storage/queries/trace-list.js";
import type { Statement } from "../storage/sql.js";
import type { TraceInput } from "./inputs/trace.js";
import { orAlarm } from "./integrity.js";
import { redact } from "./redact.js";
import type { Services } from "./services.js";

interface Ending {
  readonly outcome: TraceOutcome;
  /** Why the run stopped, as a word of the application's vocabulary. */
  readonly reason: string;
  readonly told?: TraceInput | undefined;
}

/** The statement that records what a run did, redacted before it is sealed. Goes into the transaction that ends the run. */
export function recordTrace(
  { retention }: Services,
  permit: Permit,
  key: SubjectKey,
  { outcome, reason, told }: Ending,
): Statement {
  const traceId = uuidv7();
  const { prompts, ...facts } = told ?? { ...NO_FACTS, prompts: [] };
  const run = String(permit.scope.run);
  return insertTrace(permit, {
    traceId,
    outcome,
    terminalReason: reason,
    expiresAt: hoursAfter(permit.scope.now, retention.traceDays * 24),
    factsSealed: key.seal(tracePlace("facts_sealed", traceId, run), JSON.stringify(redact(facts))),
    promptsSealed:
      prompts.length === 0
        ? null
        : key.seal(tracePlace("prompts_sealed", traceId, run), JSON.stringify(redact(prompts))),
  });
}

export function tracePlace(
  column: "facts_sealed" | "prompts_sealed",
  trace: string,
  run: string,
): Place {
  return { table: "trace", column, row: trace, within: run, version: 1 };
}

/** What a run did, as it is listed: names, verdicts and counts. No receipt, no prompt, no payload. */
export interface TraceSummary {
  readonly trace_id: string;
  readonly run_id: string;
  readonly session_id: string;
  readonly route_id: string;
  readonly outcome: TraceOutcome;
  readonly terminal_reason: string;
  readonly stages: readonly string[];
  readonly tools: readonly {
    readonly tool: string;
    readonly side_effect: string;
    readonly has_receipt: boolean;
  }[];
  readonly verdicts: TraceFacts["verdicts"];
  readonly artifacts: number;
  readonly tickets: number;
  readonly cost: TraceFacts["cost"];
  readonly revisions: number;
  readonly recorded_at: string;
  readonly expires_at: string;
  readonly rolled_up: boolean;
}

/** What is sealed of a trace, or null where it doesn't open in its place. */
export function openFacts(services: Services, row: TraceRow, key: SubjectKey): TraceFacts | null {
  const { factsSealed } = row;
  if (factsSealed === null) return NO_FACTS;
  const text = orAlarm(services.onAlarm, () =>
    key.open(tracePlace("facts_sealed", row.traceId, row.runId), factsSealed),
  );
  return text === null ? null : (JSON.parse(text) as TraceFacts);
}

export function summarise(row: TraceRow, facts: TraceFacts): TraceSummary {
  return {
    trace_id: row.traceId,
    run_id: row.runId,
    session_id: row.sessionId,
    route_id: row.routeId,
    outcome: row.outcome,
    terminal_reason: row.terminalReason,
    stages: row.stages,
    tools: facts.tools.map(({ tool, side_effect, receipt }) => ({
      tool,
      side_effect,
      has_receipt: receipt !== undefined,
    })),
    verdicts: facts.verdicts,
    artifacts: facts.artifacts.length,
    tickets: facts.tickets.length,
    cost: facts.cost,
    revisions: facts.revisions,
    recorded_at: row.recordedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    rolled_up: row.rolledUpAt !== null,
  };
}

/** Keys of the subjects of some rows, each asked for once. A row whose subject has none is left out. */
export async function openTraces(
  services: Services,
  rows: readonly TraceRow[],
): Promise<readonly TraceSummary[]> {
  const keys = new Map<string, SubjectKey | null>();
  const summaries: TraceSummary[] = [];
  for (const row of rows.slice(0, LIMITS.tracesPageMax)) {
    const tenant = row.tenantId as Parameters<Services["keyring"]["subjectKey"]>[0];
    const known = keys.get(row.subjectId);
    const key =
      known === undefined
        ? await services.keyring.subjectKey(tenant, row.subjectId, row.keyId)
        : known;
    keys.set(row.subjectId, key);
    const facts = key && openFacts(services, row, key);
    if (facts) summaries.push(summarise(row, facts));
  }
  return summaries;
}
