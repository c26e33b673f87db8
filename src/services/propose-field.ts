import { parseFieldId } from "../domain/field-rules.js";
import type { FieldId } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import { type Origin, originOf } from "../domain/origin.js";
import type { Permit } from "../domain/permit.js";
import { touchSubject } from "../storage/queries/subject-touch.js";
import { requireUnerasedPerson, requireUnforgotten } from "../storage/queries/tombstone-find.js";
import { subjectScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";
import type { Caller } from "./caller.js";
import { definitionInBody } from "./definitions.js";
import { personMac } from "./erased-rows.js";
import { CUSTOMER_KEY, parseFieldValue } from "./field-values.js";
import { type FiledReply, fileCandidate } from "./filing.js";
import { govern } from "./govern.js";
import { makeRepeatable } from "./idempotency.js";
import { proposeFieldInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import { itemMacs } from "./item-macs.js";
import type { Operation } from "./operation.js";
import { proposalId } from "./promoting.js";
import type { Services } from "./services.js";
import { settledStore } from "./stores.js";
import type { KnownSubject } from "./subjects.js";

/**
 * Proposes a value for a subject's field. It waits for a decision: nothing of it is shown to a model before. It makes the
 * subject where it is new: forms are filled in, and people move in, before their first chat.
 */
export function proposeField(
  services: Services,
  caller: Caller,
  subjectId: string,
  body: unknown,
): Promise<FiledReply> {
  return govern(services, caller, "propose_field", async (op) => {
    const { field_id, value, source_id } = parseInput(proposeFieldInput, body);
    const origin = originOf(caller.principal.claims);
    const fieldId = parseFieldId(field_id, "field_id");
    const definition = await definitionInBody(op, fieldId, "field_id");
    const parsed = parseFieldValue(definition, value);
    const context = { field: definition, origin };
    const person =
      origin === "import" ? await personMac(op, parseExternalId(subjectId, "subject")) : null;
    // Before anybody is made for it, and again where it is written.
    if (person !== null) await requireUnerased(op, person);
    const { subject, resource } = await settledStore(op, subjectId, context);
    makeRepeatable(op, subject.key, [resource.subject, body]);
    const permit = op.permit(resource, context);
    return await fileCandidate(op, permit, {
      proposal: {
        definition,
        key: subject.key,
        sessionKey: CUSTOMER_KEY,
        origin,
        value: parsed,
        sourceId: source_id,
      },
      evidence: [],
      touch: touchSubject(subjectScope(permit)),
      unforgotten: await unforgotten(op, permit, subject, { fieldId, origin, sourceId: source_id }),
      ...(person === null ? {} : { expects: [requireUnerasedPerson(permit, person)] }),
    });
  });
}

interface Sourced {
  readonly fieldId: FieldId;
  readonly origin: Origin;
  readonly sourceId: string | undefined;
}

/** A source that was withdrawn, or whose proposal was forgotten, doesn't say when it is from: it doesn't propose it again. */
async function unforgotten(
  { services }: Operation<"propose_field">,
  permit: Permit<"propose_field">,
  { subject, key }: KnownSubject,
  { fieldId, origin, sourceId }: Sourced,
): Promise<readonly Statement[]> {
  if (sourceId === undefined) return [];
  const { tenant, workspace } = permit.scope;
  const id = proposalId(key, { workspaceId: workspace, fieldId }, { origin, sourceId });
  const items = { sources: [sourceId], proposals: [id] };
  const macs = itemMacs(await services.keyring.ledger.key(tenant), { subject, workspace }, items);
  const observedAt = new Date(0);
  return [
    requireUnforgotten(
      permit,
      macs.map((mac) => ({ mac: Buffer.from(mac, "base64"), observedAt })),
    ),
  ];
}

/** What is moved in says nothing of its time: it doesn't bring back who was forgotten. */
async function requireUnerased(op: Operation<"propose_field">, person: Uint8Array): Promise<void> {
  const { services, caller } = op;
  const permit = services.policy.resolvePermit(caller.principal, op.now);
  await services.store.transact(permit, (tx) => tx.commit([requireUnerasedPerson(permit, person)]));
}
