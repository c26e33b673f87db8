import { notFound } from "../domain/errors.js";
import { parseFieldId } from "../domain/field-rules.js";
import { findFieldValue } from "../storage/queries/field-value-find.js";
import type { Caller } from "./caller.js";
import { definitionInPath } from "./definitions.js";
import { CUSTOMER_KEY } from "./field-values.js";
import { govern } from "./govern.js";
import { findRepeat, keepReply, makeRepeatable, refuseRepeat } from "./idempotency.js";
import { deleteFieldInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import type { Services } from "./services.js";
import { storeOf } from "./stores.js";
import { proposeAndPromote, type WrittenReply } from "./value-writing.js";

/** Ends a customer key: from now on the field has no value, and the log says who decided so. Whatever its class, a person may. */
export function deleteField(
  services: Services,
  caller: Caller,
  subjectId: string,
  id: string,
  body: unknown,
): Promise<WrittenReply> {
  return govern(services, caller, "delete_field", async (op) => {
    const fieldId = parseFieldId(id, "field_id");
    parseInput(deleteFieldInput, body);
    const { subject, resource } = await storeOf(op, subjectId);
    const definition = await definitionInPath(op, fieldId);
    makeRepeatable(op, subject.key, [resource.subject, fieldId, body]);
    const permit = op.permit(resource, { field: definition });
    return await services.store.transact(permit, async (tx) => {
      const [[standing], seen] = await tx.send([
        findFieldValue(permit, { fieldId, sessionKey: CUSTOMER_KEY, version: null }),
        ...findRepeat(op, permit),
      ]);
      refuseRepeat(seen);
      if (standing === undefined || standing.removed) throw notFound();
      const { promotionId, statements, writes } = proposeAndPromote(
        op,
        permit,
        {
          definition,
          key: subject.key,
          sessionKey: CUSTOMER_KEY,
          origin: "human_agent",
          value: null,
        },
        { path: "human", rule: "delete", expectedVersion: standing.version },
      );
      const reply = { field_id: fieldId, promotion_id: promotionId, decision: op.decision() };
      await tx.commit([
        ...keepReply(op, permit, reply),
        ...statements,
        op.audit(permit, { writes }),
      ]);
      return reply;
    });
  });
}
