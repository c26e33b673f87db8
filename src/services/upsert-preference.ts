import { parseFieldId } from "../domain/field-rules.js";
import { invalid } from "../domain/fields.js";
import { type TurnId, trustedId } from "../domain/ids.js";
import { type Origin, originOfTurns } from "../domain/origin.js";
import { touchRun } from "../storage/queries/run-touch.js";
import { listTurnRoles } from "../storage/queries/turn-list-roles.js";
import { runScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { idleEnd, runClock } from "./clocks.js";
import { currentStage } from "./current-stage.js";
import { definitionInBody } from "./definitions.js";
import { CUSTOMER_KEY, parseFieldValue } from "./field-values.js";
import { type FiledReply, fileCandidate } from "./filing.js";
import { govern } from "./govern.js";
import { makeRepeatable } from "./idempotency.js";
import { upsertPreferenceInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import type { Operation } from "./operation.js";
import { type PinnedRun, pinOf } from "./pins.js";
import type { Services } from "./services.js";

/** A model's call of the governed tool. Whatever it says, it files a candidate: only a person's decision writes it. */
export function upsertPreference(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<FiledReply> {
  return govern(services, caller, "upsert_preference", async (op) => {
    const input = parseInput(upsertPreferenceInput, body);
    const pinned = await pinOf(op, run);
    const { pin, key } = pinned;
    const fieldId = parseFieldId(input.field_id, "field_id");
    const definition = await definitionInBody(op, fieldId, "field_id");
    const evidence = (input.evidence ?? []).map((turn) => trustedId<"TurnId">(turn));
    const origin = await originIn(op, pinned, evidence);
    makeRepeatable(op, key, [run, body]);
    const stageId = await currentStage(services, caller, pin);
    const tool = { name: "upsert_preference", ...(stageId === undefined ? {} : { stageId }) };
    const permit = op.permit({ type: "run", pin }, { field: definition, origin, tool });
    const expiresAt = idleEnd(pin, op.now);
    return await fileCandidate(op, permit, {
      proposal: {
        definition,
        key,
        sessionKey: definition.scope === "session" ? pin.session : CUSTOMER_KEY,
        origin,
        value: parseFieldValue(definition, input.value),
        pin,
      },
      evidence,
      touch: touchRun(runScope(permit), { pin, expiresAt, byAgent: true }),
      ttl: runClock(pin, expiresAt),
    });
  });
}

/** Where the value comes from: the model, or what the turns that it cites hold. Who relays the call doesn't matter. */
async function originIn(
  { services, caller }: Operation<"upsert_preference">,
  { pin }: PinnedRun,
  evidence: readonly TurnId[],
): Promise<Origin> {
  if (evidence.length === 0) return originOfTurns([]);
  const permit = services.policy.resolvePermit(caller.principal, services.clock.now());
  const [rows] = await services.store.transact(permit, (tx) =>
    tx.commit([listTurnRoles(permit, pin, evidence)]),
  );
  const known = new Set(rows.map((row) => row.turnId));
  const missing = evidence.findIndex((turn) => !known.has(turn));
  if (missing >= 0) throw invalid(`evidence.${missing}`, "is no turn of this run's session");
  return originOfTurns(rows.map((row) => row.role));
}
