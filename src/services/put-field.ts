import { refuseCredential } from "../domain/credential-text.js";
import type { FieldDefinition } from "../domain/field.js";
import { parseFieldDefinition, parseFieldId } from "../domain/field-rules.js";
import { findField } from "../storage/queries/field-find.js";
import { insertField } from "../storage/queries/field-write.js";
import type { Caller } from "./caller.js";
import { authorOf, parseReason, splitReason, versionAfter } from "./definition-version.js";
import { besideOthers } from "./first-writers.js";
import { govern } from "./govern.js";
import { findRepeat, keepReply, makeRepeatable, refuseRepeat } from "./idempotency.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";

export interface PutFieldReply {
  readonly field_id: string;
  readonly version: number;
  /** False where the latest version says the same already: nothing was written. */
  readonly changed: boolean;
  readonly decision: DecisionReply;
}

/** Writes a new version of a field's definition. Candidates of the version before are decided on no more. */
export function putField(
  services: Services,
  caller: Caller,
  id: string,
  body: unknown,
): Promise<PutFieldReply> {
  return govern(services, caller, "put_field", async (op) => {
    const fieldId = parseFieldId(id, "field_id");
    const { definition, reason } = splitReason(body);
    const draft = parseFieldDefinition(definition, fieldId);
    refuseCredential(JSON.stringify(draft), "body");
    const why = parseReason(reason);
    const key = await services.keyring.tenantKey(caller.principal.tenant);
    makeRepeatable(op, key, [fieldId, body]);
    const field: FieldDefinition = { ...draft, version: 1 };
    return await besideOthers(async (lost) => {
      const permit = op.permit({ type: "field", fieldId }, { field });
      return await services.store.transact(permit, async (tx) => {
        const [[latest], seen] = await tx.send([
          findField(permit, fieldId, null),
          ...findRepeat(op, permit),
        ]);
        refuseRepeat(seen);
        const { version, changed } = versionAfter(latest, { what: "field", draft, reason, lost });
        const reply = { field_id: fieldId, version, changed, decision: op.decision() };
        const author = authorOf(caller, key, { table: "field", row: fieldId, version });
        const row = { definition: { ...draft, version }, ...author, reason: why };
        const writes = [{ kind: "field_definition", ids: [`${fieldId}@${version}`] }];
        await tx.commit([
          ...keepReply(op, permit, reply),
          ...(changed ? [insertField(permit, row)] : []),
          op.audit(permit, changed ? { writes } : {}),
        ]);
        services.caches.fields.delete(`${caller.principal.tenant}/${fieldId}`);
        return reply;
      });
    });
  });
}
