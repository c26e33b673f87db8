import { parseFieldId } from "../domain/field-rules.js";
import { originOf } from "../domain/origin.js";
import { touchRun } from "../storage/queries/run-touch.js";
import { runScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { idleEnd } from "./clocks.js";
import { definitionInPath } from "./definitions.js";
import { parseFieldValue } from "./field-values.js";
import { govern } from "./govern.js";
import { makeRepeatable } from "./idempotency.js";
import { setFieldInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import { pinOf } from "./pins.js";
import type { Services } from "./services.js";
import { type WrittenReply, writeValue } from "./value-writing.js";

/** A person in a run sets a field of that chat: its key dies when the chat is idle, and no other chat sees it. */
export function setSessionField(
  services: Services,
  caller: Caller,
  run: string,
  id: string,
  body: unknown,
): Promise<WrittenReply> {
  return govern(services, caller, "set_session_field", async (op) => {
    const fieldId = parseFieldId(id, "field_id");
    const { value, expected_version } = parseInput(setFieldInput, body);
    const { pin, key } = await pinOf(op, run);
    const definition = await definitionInPath(op, fieldId);
    const origin = originOf(caller.principal.claims);
    makeRepeatable(op, key, [run, fieldId, body]);
    const permit = op.permit({ type: "run", pin }, { field: definition, writer: origin });
    const proposal = {
      definition,
      key,
      sessionKey: pin.session,
      origin,
      value: parseFieldValue(definition, value),
      pin,
    };
    const ruling = { path: "human", rule: "click", expectedVersion: expected_version } as const;
    const touch = { pin, expiresAt: idleEnd(pin, op.now), byAgent: false };
    return await writeValue(op, permit, proposal, ruling, [touchRun(runScope(permit), touch)]);
  });
}
