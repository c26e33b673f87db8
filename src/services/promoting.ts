import { uuidv7 } from "uuidv7";
import { hoursAfter } from "../domain/clock.js";
import type { FieldDefinition } from "../domain/field.js";
import { type CandidateId, type PrincipalRef, type PromotionId, trustedId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Origin } from "../domain/origin.js";
import type { Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import type { Touched, TtlPolicy } from "../domain/trace.js";
import type { AskedAction } from "../policy/question.js";
import { insertCandidate, type NewCandidate } from "../storage/queries/candidate-insert.js";
import { promoteCandidate } from "../storage/queries/candidate-promote.js";
import type { Statement } from "../storage/sql.js";
import {
  actorName,
  actorPlace,
  CUSTOMER_KEY,
  hashValue,
  type MaybeValue,
  proposerPlace,
  type Standing,
  sealValue,
} from "./field-values.js";
import { macUuid } from "./mac-uuid.js";
import type { Operation } from "./operation.js";

/** A value for one field of one subject. */
export interface Proposal {
  readonly definition: FieldDefinition;
  readonly key: SubjectKey;
  readonly sessionKey: string;
  readonly origin: Origin;
  readonly value: MaybeValue;
  /** Id of the value at its source, where it has one. */
  readonly sourceId?: string | undefined;
  /** The run that it comes from, where it does. */
  readonly pin?: Pin;
}

export interface Proposed {
  readonly standing: Standing;
  readonly statement: (
    state: NewCandidate["state"],
    evidence?: NewCandidate["evidence"],
  ) => Statement;
}

/** Seals a value that was parsed. It stays sealed as it is: a decision takes over these bytes. */
export function propose<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit,
  proposal: Proposal,
): Proposed {
  const { definition, key, sessionKey, origin, value, pin } = proposal;
  const at = { workspaceId: permit.scope.workspace, fieldId: definition.field_id, sessionKey };
  const { sourceId } = proposal;
  const candidateId =
    sourceId === undefined
      ? trustedId<"CandidateId">(uuidv7())
      : proposalId(key, at, { sourceId, origin });
  const standing: Standing = {
    ...at,
    candidateId,
    definitionVersion: definition.version,
    source: origin,
    removed: value === null,
    valueHash: hashValue(key, at, value),
  };
  const { principal } = op.caller;
  const statement: Proposed["statement"] = (state, evidence = []) =>
    insertCandidate(permit, {
      ...standing,
      origin,
      state,
      evidence,
      run: pin?.run ?? null,
      routeId: pin?.routeId ?? null,
      valueSealed: sealValue(key, standing, value),
      proposerRef: principal.ref,
      proposerSealed: key.seal(proposerPlace("proposer_sealed", standing), actorName(principal)),
      expiresAt: hoursAfter(op.now, LIMITS.candidateDays * 24),
    });
  return { standing, statement };
}

/** A proposal of a source has one id whenever it comes: sent again, it names the candidate that stands or was decided on. */
export function proposalId(
  key: SubjectKey,
  { workspaceId, fieldId }: Pick<Standing, "workspaceId" | "fieldId">,
  { sourceId, origin }: { readonly sourceId: string; readonly origin: Origin },
): CandidateId {
  const named = JSON.stringify([workspaceId, fieldId, origin, sourceId]);
  return trustedId<"CandidateId">(macUuid(key.mac("candidate", named)));
}

export interface Ruling {
  readonly path: "human" | "evaluator" | "reconcile";
  readonly rule: string;
  /** Who approved first, where two people have to. */
  readonly approver?: PrincipalRef | null;
  readonly reverts?: PromotionId;
  readonly expectedVersion?: number | undefined;
}

export interface Promoted {
  readonly promotionId: PromotionId;
  readonly statement: Statement;
  readonly writes: readonly Touched[];
  readonly ttl: TtlPolicy;
}

/** Decides for a candidate: its value becomes the field's, with a row of the log. */
export function promote<A extends AskedAction>(
  op: Operation<A>,
  permit: Permit,
  key: SubjectKey,
  standing: Standing,
  ruling: Ruling,
): Promoted {
  const { principal } = op.caller;
  const promotionId = trustedId<"PromotionId">(uuidv7());
  const { path, rule, approver, reverts, expectedVersion } = ruling;
  const { sessionKeyDays } = op.services.retention;
  const isSession = standing.sessionKey !== CUSTOMER_KEY;
  const expiresAt = isSession ? hoursAfter(op.now, sessionKeyDays * 24) : null;
  const name = path === "human" ? actorName(principal) : actorName(principal, path);
  const statement = promoteCandidate(permit, {
    ...standing,
    promotionId,
    origin: standing.source,
    path,
    rule,
    actor: {
      ref: principal.ref,
      kind: principal.claims.kind,
      sealed: key.seal(actorPlace({ ...standing, promotionId, path, rule }), name),
    },
    approver: approver ?? null,
    reverts: reverts ?? null,
    expectedVersion: expectedVersion ?? null,
    expiresAt,
  });
  return {
    promotionId,
    statement,
    writes: [
      { kind: "field", ids: [standing.fieldId] },
      { kind: "promotion", ids: [promotionId] },
    ],
    ttl: keyClock(expiresAt, sessionKeyDays),
  };
}

/** The idle clock of a session key. A customer key has none: it lives until somebody deletes it. */
function keyClock(expiresAt: Date | null, days: number): TtlPolicy {
  if (expiresAt === null) return { clock: "none", hours: null, expires_at: null };
  return { clock: "session_key", hours: days * 24, expires_at: expiresAt.toISOString() };
}
