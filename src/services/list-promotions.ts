import type { SubjectKey } from "../domain/keyring.js";
import {
  listPromotions as listRows,
  type PromotionLogRow,
} from "../storage/queries/promotion-find.js";
import type { Caller } from "./caller.js";
import { makeCursor, readCursor } from "./cursor.js";
import { actorPlace, CUSTOMER_KEY, hex } from "./field-values.js";
import { govern } from "./govern.js";
import { listPromotionsInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import { orAlarm } from "./integrity.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";
import { storeOf } from "./stores.js";

/** One row of the log. Values are named by their hashes: the log outlives what it is about. */
export interface PromotionReply {
  readonly promotion_id: string;
  readonly field_id: string;
  readonly key: "customer" | "session";
  readonly version: number;
  readonly old_version: number | null;
  readonly old_hash: string | null;
  readonly new_hash: string;
  readonly source: string;
  readonly actor: string | null;
  readonly actor_ref: string;
  readonly approver_ref: string | null;
  readonly path: string;
  readonly rule: string;
  readonly candidate_id: string;
  readonly reverts: string | null;
  readonly run_id: string | null;
  readonly tenant_id: string;
  readonly policy_ids: readonly string[];
  readonly policy_set: string;
  readonly recorded_at: string;
}

export interface ListPromotionsReply {
  readonly promotions: readonly PromotionReply[];
  readonly cursor: string | null;
  readonly decision: DecisionReply;
}

/** Every decision that wrote to a subject's store, newest first. */
export function listPromotions(
  services: Services,
  caller: Caller,
  subjectId: string,
  query: unknown,
): Promise<ListPromotionsReply> {
  return govern(services, caller, "list_promotions", async (op) => {
    const { field_id, limit, cursor } = parseInput(listPromotionsInput, query);
    const { subject, resource } = await storeOf(op, subjectId);
    const permit = op.permit(resource, {});
    const { principal } = caller;
    const list = ["list_promotions", resource.subject, field_id ?? null];
    const position = readCursor(subject.key, principal, list, cursor);
    const before = position === null ? null : Number(position);
    const rows = await services.store.transact(permit, async (tx) => {
      const [found] = await tx.send([
        listRows(permit, { fieldId: field_id ?? null, before, limit }),
      ]);
      const ids = found.map(({ promotionId }) => promotionId);
      await tx.commit([op.audit(permit, { reads: [{ kind: "promotion", ids }] })]);
      return found;
    });
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      promotions: rows.map((row) => toReply(services, subject.key, row)),
      cursor:
        last === undefined ? null : makeCursor(subject.key, principal, list, String(last.revision)),
      decision: op.decision(),
    };
  });
}

function toReply(services: Services, key: SubjectKey, row: PromotionLogRow): PromotionReply {
  const decided = { ...row, valueHash: row.newHash, removed: false };
  const actor = orAlarm(services.onAlarm, () => key.open(actorPlace(decided), row.actorSealed));
  return {
    promotion_id: row.promotionId,
    field_id: row.fieldId,
    key: row.sessionKey === CUSTOMER_KEY ? "customer" : "session",
    version: row.version,
    old_version: row.oldVersion,
    old_hash: row.oldHash && hex(row.oldHash),
    new_hash: hex(row.newHash),
    source: row.source,
    actor,
    actor_ref: row.actorRef,
    approver_ref: row.approverRef,
    path: row.path,
    rule: row.rule,
    candidate_id: row.candidateId,
    reverts: row.reverts,
    run_id: row.runId,
    tenant_id: row.tenantId,
    policy_ids: row.policyIds,
    policy_set: row.policySet,
    recorded_at: row.recordedAt.toISOString(),
  };
}
