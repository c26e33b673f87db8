import { refuseCredential } from "../domain/credential-text.js";
import type { FieldDefinition } from "../domain/field.js";
import type { CandidateId, FieldId, PromotionId, WorkspaceId } from "../domain/ids.js";
import type { Place, SubjectKey } from "../domain/keyring.js";
import { refuseKycDecision } from "../domain/kyc.js";
import type { Origin } from "../domain/origin.js";
import type { Principal } from "../domain/principal.js";
import { parseValue } from "../domain/value-rules.js";
import type { FieldValue } from "../domain/value-schema.js";

/** Session of a customer key: none. */
export const CUSTOMER_KEY = "00000000-0000-0000-0000-000000000000";

/** A field's value, or null for none any more. */
export type MaybeValue = FieldValue | null;

/** What decides what a sealed value means, all of it bound to the seal. */
export interface Standing {
  readonly candidateId: CandidateId;
  readonly workspaceId: WorkspaceId;
  readonly fieldId: FieldId;
  readonly definitionVersion: number;
  readonly sessionKey: string;
  readonly source: Origin;
  readonly removed: boolean;
  readonly valueHash: Uint8Array;
}

/** A value from outside, as its field allows it. Null removes. */
export function parseFieldValue(definition: FieldDefinition, value: unknown): MaybeValue {
  if (value === null) return null;
  const parsed = parseValue(definition.value_schema, value, "value");
  const text = typeof parsed === "string" ? parsed : JSON.stringify(parsed);
  refuseCredential(text, "value");
  refuseKycDecision(text, "value");
  return parsed;
}

/** Under the subject's key, so that a hash tells nobody else what the value is. */
export function hashValue(
  key: SubjectKey,
  at: Pick<Standing, "workspaceId" | "fieldId" | "sessionKey">,
  value: MaybeValue,
): Uint8Array {
  return key.mac("field_value", JSON.stringify([at.workspaceId, at.fieldId, at.sessionKey, value]));
}

/** A value is sealed once, when it is proposed. The decision takes over those bytes, and nothing else opens in their place. */
export function valuePlace(standing: Standing): Place {
  const { candidateId, workspaceId, fieldId, definitionVersion, sessionKey, source, removed } =
    standing;
  const hash = hex(standing.valueHash);
  return {
    table: "candidate",
    column: "value_sealed",
    row: candidateId,
    within: JSON.stringify([
      workspaceId,
      fieldId,
      definitionVersion,
      sessionKey,
      source,
      removed,
      hash,
    ]),
    version: 1,
  };
}

export function sealValue(key: SubjectKey, standing: Standing, value: MaybeValue): Uint8Array {
  return key.seal(valuePlace(standing), JSON.stringify(value));
}

export function openValue(key: SubjectKey, standing: Standing, sealed: Uint8Array): MaybeValue {
  return JSON.parse(key.open(valuePlace(standing), sealed)) as MaybeValue;
}

/** What the log says of a decision: a row that was changed shows no actor, and what it wrote isn't shown. */
export interface Decided extends Standing {
  readonly promotionId: PromotionId;
  readonly path: string;
  readonly rule: string;
}

export function actorPlace(decided: Decided): Place {
  const { promotionId, candidateId, workspaceId, fieldId, sessionKey, source, path, rule } =
    decided;
  const within = [workspaceId, fieldId, sessionKey, candidateId, source, path, rule];
  return {
    table: "promotion",
    column: "actor_sealed",
    row: promotionId,
    within: JSON.stringify([...within, hex(decided.valueHash)]),
    version: 1,
  };
}

export function proposerPlace(
  column: "proposer_sealed" | "approver_sealed",
  candidate: Pick<Standing, "candidateId" | "source">,
): Place {
  return {
    table: "candidate",
    column,
    row: candidate.candidateId,
    within: candidate.source,
    version: 1,
  };
}

/** How a value names who wrote it. Of the person themselves no id: the store is theirs. */
export function actorName({ claims }: Principal, as: string = claims.kind): string {
  return claims.kind === "human" && claims.subject !== undefined ? "user" : `${as}:${claims.id}`;
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
