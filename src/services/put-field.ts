import stringify from "safe-stable-stringify";
import { refuseCredential } from "../domain/credential-text.js";
import type { FieldDefinition } from "../domain/field.js";
import { type FieldDraft, parseFieldDefinition, parseFieldId } from "../domain/field-rules.js";
import { invalid, isObject } from "../domain/fields.js";
import type { FieldId } from "../domain/ids.js";
import { parseText } from "../domain/input.js";
import type { Place } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import { findField } from "../storage/queries/field-find.js";
import { insertField } from "../storage/queries/field-write.js";
import type { Caller } from "./caller.js";
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
    if (!isObject(body)) throw invalid("body", "must be of type object");
    const { reason, ...definition } = body;
    const draft = parseFieldDefinition(definition, fieldId);
    refuseCredential(JSON.stringify(draft), "body");
    const why =
      reason === undefined ? "first version" : parseText(reason, "reason", LIMITS.reasonCharsMax);
    refuseCredential(why, "reason");
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
        const changed = latest === undefined || !isSame(latest.definition, draft);
        if (changed && lost !== null) throw lost;
        if (changed && latest !== undefined && reason === undefined)
          throw invalid("reason", "is required: say why the field changes");
        const version = changed ? (latest?.version ?? 0) + 1 : latest.version;
        const reply = { field_id: fieldId, version, changed, decision: op.decision() };
        const row = {
          definition: { ...draft, version },
          authorRef: caller.principal.ref,
          authorSealed: key.seal(authorPlace(fieldId, version), caller.principal.claims.id),
          reason: why,
        };
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

function isSame({ version: _, ...stored }: FieldDefinition, draft: FieldDraft): boolean {
  return stringify(stored) === stringify(draft);
}

function authorPlace(fieldId: FieldId, version: number): Place {
  return { table: "field", column: "author_sealed", row: fieldId, within: "", version };
}
