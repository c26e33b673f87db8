import { LIMITS } from "../domain/limits.js";
import { listFieldValues } from "../storage/queries/field-value-list.js";
import type { Caller } from "./caller.js";
import type { MaybeValue } from "./field-values.js";
import { govern } from "./govern.js";
import { type OpenField, openFields } from "./open-fields.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";
import { storeOf } from "./stores.js";

export interface FieldValueReply {
  readonly field_id: string;
  readonly class: string;
  readonly description: string;
  readonly value: MaybeValue;
  readonly version: number;
  /** `customer`: until it is deleted. `session`: of one chat, until that is idle. */
  readonly key: "customer" | "session";
  readonly session_id: string | null;
  readonly source: string;
  readonly updated_by: string;
  readonly updated_at: string;
  readonly path: string;
  readonly rule: string;
  readonly promotion_id: string;
  /** Routes whose runs may be shown it, where they list it. */
  readonly routes: "global" | readonly string[];
  /** False where its field was defined anew and wouldn't take the value any more: no model is shown it. */
  readonly fits: boolean;
  readonly owner: string;
  readonly expires_at: string | null;
}

export interface ListFieldsReply {
  readonly fields: readonly FieldValueReply[];
  readonly decision: DecisionReply;
}

/** Every durable field that an agent can read about a subject, with who put it there. There is no other store. */
export function listFields(
  services: Services,
  caller: Caller,
  subjectId: string,
): Promise<ListFieldsReply> {
  return govern(services, caller, "list_fields", async (op) => {
    const { subject, resource } = await storeOf(op, subjectId);
    const permit = op.permit(resource, {});
    const rows = await services.store.transact(permit, async (tx) => {
      const [found] = await tx.send([
        listFieldValues(permit, { fields: null, sessionKeys: null, limit: LIMITS.fieldValuesMax }),
      ]);
      const ids = found.map(({ fieldId, version }) => `${fieldId}@${version}`);
      await tx.commit([op.audit(permit, { reads: [{ kind: "field", ids }] })]);
      return found;
    });
    const fields = openFields(rows, subject.key, services.onAlarm);
    return { fields: fields.map(toReply), decision: op.decision() };
  });
}

function toReply({ row, value, updatedBy, key, fits }: OpenField): FieldValueReply {
  const { definition } = row;
  return {
    field_id: row.fieldId,
    class: definition.class,
    description: definition.description,
    value,
    version: row.version,
    key,
    session_id: key === "session" ? row.sessionKey : null,
    source: row.source,
    updated_by: updatedBy,
    updated_at: row.updatedAt.toISOString(),
    path: row.path,
    rule: row.rule,
    promotion_id: row.promotionId,
    routes: definition.routes,
    fits,
    owner: definition.owner,
    expires_at: key === "session" ? row.expiresAt.toISOString() : null,
  };
}
