import { parseFieldId } from "../domain/field-rules.js";
import { originOf } from "../domain/origin.js";
import type { Caller } from "./caller.js";
import { definitionInPath } from "./definitions.js";
import { CUSTOMER_KEY, parseFieldValue } from "./field-values.js";
import { govern } from "./govern.js";
import { makeRepeatable } from "./idempotency.js";
import { setFieldInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import type { Services } from "./services.js";
import { settledStore, storeOf } from "./stores.js";
import { type WrittenReply, writeValue } from "./value-writing.js";

/**
 * Path 1 in one step: a person's own click on "save", or that of somebody who serves them. The value is proposed and
 * promoted in one transaction, one network round trip warm. It makes the subject where it is new: people save settings before
 * their first chat.
 */
export function setPreference(
  services: Services,
  caller: Caller,
  subjectId: string,
  id: string,
  body: unknown,
): Promise<WrittenReply> {
  return govern(services, caller, "set_preference", async (op) => {
    const fieldId = parseFieldId(id, "field_id");
    const { value, expected_version } = parseInput(setFieldInput, body);
    const definition = await definitionInPath(op, fieldId);
    const parsed = parseFieldValue(definition, value);
    const origin = originOf(caller.principal.claims);
    const context = { field: definition, writer: origin };
    // Who takes a value back, or has seen one, means a person who is there.
    const isFirst = parsed !== null && (expected_version ?? 0) === 0;
    const { subject, resource } = isFirst
      ? await settledStore(op, subjectId, context)
      : await storeOf(op, subjectId);
    makeRepeatable(op, subject.key, [resource.subject, fieldId, body]);
    const permit = op.permit(resource, context);
    const proposal = {
      definition,
      key: subject.key,
      sessionKey: CUSTOMER_KEY,
      origin,
      value: parsed,
    };
    return await writeValue(op, permit, proposal, {
      path: "human",
      rule: "click",
      expectedVersion: expected_version,
    });
  });
}
