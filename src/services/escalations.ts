import type { Place, SubjectKey } from "../domain/keyring.js";
import type { Pin } from "../domain/pin.js";
import type { PrincipalKind } from "../domain/principal.js";
import type { EscalationRow } from "../storage/queries/escalation-read.js";
import type { OnAlarm } from "../storage/store.js";
import { orAlarm } from "./integrity.js";

/** What is sealed of an escalation. */
export interface EscalationReason {
  readonly reason: string;
  readonly evidence: readonly string[];
}

/** Why a run waits, or waited last, for a human. */
export interface Escalation extends EscalationReason {
  readonly raised_by: PrincipalKind;
  readonly raised_at: string;
  /** Null while the run waits. */
  readonly answer: string | null;
  readonly answered_at: string | null;
}

export function escalationPlace(
  column: "reason_sealed" | "answer_sealed",
  escalationId: string,
  run: string,
): Place {
  return { table: "escalation", column, row: escalationId, within: run, version: 1 };
}

export function sealReason(
  key: SubjectKey,
  { run }: Pin,
  escalationId: string,
  { reason, evidence }: EscalationReason,
): Uint8Array {
  return key.seal(
    escalationPlace("reason_sealed", escalationId, run),
    JSON.stringify({ reason, evidence }),
  );
}

export function sealAnswer(
  key: SubjectKey,
  { run }: Pin,
  escalationId: string,
  answer: string,
): Uint8Array {
  return key.seal(escalationPlace("answer_sealed", escalationId, run), answer);
}

/** Null where the run never waited, or where the row doesn't open in its place (reported). */
export function openEscalation(
  row: EscalationRow | undefined,
  key: SubjectKey,
  onAlarm: OnAlarm,
): Escalation | null {
  if (row === undefined) return null;
  const { escalationId, runId, reasonSealed, answerSealed } = row;
  return orAlarm(onAlarm, () => {
    const text = key.open(escalationPlace("reason_sealed", escalationId, runId), reasonSealed);
    const { reason, evidence } = JSON.parse(text) as EscalationReason;
    return {
      reason,
      evidence,
      raised_by: row.raisedBy,
      raised_at: row.raisedAt.toISOString(),
      answer:
        answerSealed &&
        key.open(escalationPlace("answer_sealed", escalationId, runId), answerSealed),
      answered_at: row.answeredAt?.toISOString() ?? null,
    };
  });
}
