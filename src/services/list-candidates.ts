import { needsFourEyes } from "../domain/field.js";
import {
  type CandidateRow,
  type CandidateState,
  listCandidates as listCandidateRows,
} from "../storage/queries/candidate-find.js";
import type { Caller } from "./caller.js";
import { makeCursor, readCursor } from "./cursor.js";
import { definitionAt } from "./definitions.js";
import { hex, type MaybeValue, openValue, proposerPlace } from "./field-values.js";
import { govern } from "./govern.js";
import { listCandidatesInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import { orAlarm } from "./integrity.js";
import { rememberCandidate, standingOf } from "./known-candidates.js";
import type { DecisionReply, Operation } from "./operation.js";
import type { Services } from "./services.js";
import { externalPlace } from "./subjects.js";

export interface CandidateReply {
  readonly candidate_id: string;
  readonly field_id: string;
  readonly class: string;
  /** Null proposes to have no value any more. */
  readonly value: MaybeValue;
  /** What a decision has to name: it counts for this value alone. */
  readonly value_hash: string;
  readonly origin: string;
  readonly state: CandidateState;
  readonly subject: string;
  readonly run_id: string | null;
  /** Of its run now: what a failed run concluded stays a guess until a person says otherwise. */
  readonly run_state: string | null;
  readonly route_id: string | null;
  /** Turns that it cites. */
  readonly evidence: readonly string[];
  readonly proposed_by: string;
  /** Who approved first, where two people have to. */
  readonly approved_by: string | null;
  readonly approvals_needed: 1 | 2;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface ListCandidatesReply {
  readonly candidates: readonly CandidateReply[];
  readonly cursor: string | null;
  readonly decision: DecisionReply;
}

const WAITING = ["open", "quarantined"] as const;

/** The review queue of the caller's workspace, oldest first. */
export function listCandidates(
  services: Services,
  caller: Caller,
  query: unknown,
): Promise<ListCandidatesReply> {
  return govern(services, caller, "list_candidates", async (op) => {
    const { state, field_id, limit, cursor } = parseInput(listCandidatesInput, query);
    const permit = op.permit({ type: "tenant" }, {});
    const { principal } = caller;
    const key = await services.keyring.tenantKey(principal.tenant);
    const list = ["list_candidates", state, field_id ?? null];
    const after = readCursor(key, principal, list, cursor);
    const states = state === "waiting" ? WAITING : [state];
    const rows = await services.store.transact(permit, async (tx) => {
      const [found] = await tx.send([
        listCandidateRows(permit, { states, fieldId: field_id ?? null, after, limit }),
      ]);
      const ids = found.map(({ candidateId }) => candidateId);
      await tx.commit([op.audit(permit, { reads: [{ kind: "candidate", ids }] })]);
      return found;
    });
    const candidates: CandidateReply[] = [];
    for (const row of rows) candidates.push(...(await openCandidate(op, row)));
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      candidates,
      cursor: last === undefined ? null : makeCursor(key, principal, list, last.candidateId),
      decision: op.decision(),
    };
  });
}

/** A candidate that doesn't open in its place is left out and reported. */
async function openCandidate(
  op: Operation<"list_candidates">,
  row: CandidateRow,
): Promise<readonly CandidateReply[]> {
  const { keyring, onAlarm } = op.services;
  const key = await keyring.subjectKey(op.caller.principal.tenant, row.subjectId, row.keyId);
  if (key === null) return [];
  const standing = standingOf(row);
  const place = externalPlace("subject", row.subjectLookup, row.subjectId);
  const opened = orAlarm(onAlarm, () => ({
    value: openValue(key, standing, row.valueSealed),
    subject: key.open(place, row.subjectSealed),
    proposedBy: key.open(proposerPlace("proposer_sealed", standing), row.proposerSealed),
    approvedBy:
      row.approverSealed &&
      key.open(proposerPlace("approver_sealed", standing), row.approverSealed),
  }));
  if (opened === null) return [];
  const definition = await definitionAt(op, row.fieldId, row.definitionVersion);
  if (!needsFourEyes(definition)) rememberCandidate(op.services, row);
  return [
    {
      candidate_id: row.candidateId,
      field_id: row.fieldId,
      class: definition.class,
      value: opened.value,
      value_hash: hex(row.valueHash),
      origin: row.origin,
      state: row.state,
      subject: opened.subject,
      run_id: row.runId,
      run_state: row.runState,
      route_id: row.routeId,
      evidence: row.evidence,
      proposed_by: opened.proposedBy,
      approved_by: opened.approvedBy,
      approvals_needed: needsFourEyes(definition) ? 2 : 1,
      created_at: row.createdAt.toISOString(),
      expires_at: row.expiresAt.toISOString(),
    },
  ];
}
