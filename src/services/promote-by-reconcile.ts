import { MunimentError } from "../domain/errors.js";
import type { FieldClass, FieldDefinition, FieldWriter } from "../domain/field.js";
import { parseFieldId } from "../domain/field-rules.js";
import type { FieldId } from "../domain/ids.js";
import { parseExternalId } from "../domain/input.js";
import type { Permit } from "../domain/permit.js";
import { findFieldValue } from "../storage/queries/field-value-find.js";
import type { Transaction } from "../storage/store.js";
import type { Caller } from "./caller.js";
import { definitionInBody } from "./definitions.js";
import { CUSTOMER_KEY, hashValue, hex, type MaybeValue, parseFieldValue } from "./field-values.js";
import { govern } from "./govern.js";
import { findRepeat, keepReply, makeRepeatable, refuseRepeat } from "./idempotency.js";
import { reconcileInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply, Operation } from "./operation.js";
import type { Services } from "./services.js";
import { type KnownStore, storeOf } from "./stores.js";
import { proposeAndPromote } from "./value-writing.js";

export interface ReconciledField {
  readonly field_id: string;
  /** `unknown`: the system of record says nothing of it. `invalid`: it says what the field doesn't take, so nothing was written. */
  readonly outcome: "written" | "unchanged" | "unknown" | "invalid";
  readonly promotion_id: string | null;
}

export interface ReconcileReply {
  readonly fields: readonly ReconciledField[];
  readonly decision: DecisionReply;
}

/** Who a system of record speaks for, by the class of the field. */
const RECORD_WRITER: Readonly<Record<FieldClass, FieldWriter>> = {
  identifier: "system_of_record",
  preference: "system_of_record",
  policy_pointer: "release",
  risk_flag: "billing",
  budget: "control_plane",
};

/**
 * Path 3: compares named fields with the system of record, and writes what differs as `reconcile:<name of the job>`. All
 * fields are allowed by policy before the system is asked, and written in one transaction.
 */
export function promoteByReconcile(
  services: Services,
  caller: Caller,
  subjectId: string,
  body: unknown,
): Promise<ReconcileReply> {
  return govern(services, caller, "promote_by_reconcile", async (op) => {
    const input = parseInput(reconcileInput, body);
    const store = await storeOf(op, subjectId);
    const definitions: FieldDefinition[] = [];
    for (const [index, id] of [...new Set(input.fields)].entries())
      definitions.push(
        await definitionInBody(op, parseFieldId(id, `fields.${index}`), `fields.${index}`),
      );
    makeRepeatable(op, store.subject.key, [store.resource.subject, body]);
    const permit = permitAll(op, store, definitions);
    const record = await readRecord(op, parseExternalId(subjectId, "subject"), definitions);
    return await services.store.transact(permit, async (tx) => {
      const hashes = await standingHashes(op, tx, permit, definitions);
      const results = definitions.map((definition) =>
        compare(op, permit, store, definition, record, hashes.get(definition.field_id)),
      );
      const reply = { fields: results.map(({ field }) => field), decision: op.decision() };
      const written = results.flatMap(({ promoted }) => (promoted === null ? [] : [promoted]));
      await tx.commit([
        ...keepReply(op, permit, reply),
        ...written.flatMap(({ statements }) => statements),
        op.audit(permit, { writes: written.flatMap(({ writes }) => writes) }),
      ]);
      return reply;
    });
  });
}

/** One question a field; the permits are alike, so the last one stands for all. */
function permitAll(
  op: Operation<"promote_by_reconcile">,
  { resource }: KnownStore,
  definitions: readonly FieldDefinition[],
): Permit<"promote_by_reconcile"> {
  let permit: Permit<"promote_by_reconcile"> | null = null;
  for (const field of definitions)
    permit = op.permit(resource, { field, writer: RECORD_WRITER[field.class] });
  if (permit === null) throw new MunimentError("internal", "nothing was asked for");
  return permit;
}

async function readRecord(
  { services, caller }: Operation<"promote_by_reconcile">,
  subject: string,
  definitions: readonly FieldDefinition[],
): Promise<ReadonlyMap<string, unknown>> {
  const { systemOfRecord } = services;
  if (systemOfRecord === null)
    throw new MunimentError("unavailable", "no system of record is configured");
  const ids = definitions.map((definition) => definition.field_id);
  const found = await systemOfRecord.read(caller.principal.claims.tenant, subject, ids);
  return new Map(Object.entries(found).filter(([id]) => ids.some((asked) => asked === id)));
}

async function standingHashes(
  op: Operation<"promote_by_reconcile">,
  tx: Transaction,
  permit: Permit<"promote_by_reconcile">,
  definitions: readonly FieldDefinition[],
): Promise<ReadonlyMap<FieldId, string>> {
  const repeat = findRepeat(op, permit);
  const found = await tx.send([
    ...definitions.map(({ field_id }) =>
      findFieldValue(permit, { fieldId: field_id, sessionKey: CUSTOMER_KEY, version: null }),
    ),
    ...repeat,
  ]);
  if (repeat.length > 0) refuseRepeat(found.at(-1) as Parameters<typeof refuseRepeat>[0]);
  const rows = found.slice(0, definitions.length).flat() as {
    fieldId: FieldId;
    valueHash: Uint8Array;
  }[];
  return new Map(rows.map((row) => [row.fieldId, hex(row.valueHash)]));
}

function compare(
  op: Operation<"promote_by_reconcile">,
  permit: Permit<"promote_by_reconcile">,
  { subject }: KnownStore,
  definition: FieldDefinition,
  record: ReadonlyMap<string, unknown>,
  standing: string | undefined,
): { field: ReconciledField; promoted: ReturnType<typeof proposeAndPromote> | null } {
  const done = (
    outcome: ReconciledField["outcome"],
    promoted: ReturnType<typeof proposeAndPromote> | null = null,
  ) => ({
    field: {
      field_id: definition.field_id,
      outcome,
      promotion_id: promoted?.promotionId ?? null,
    },
    promoted,
  });
  const said = record.get(definition.field_id);
  if (said === undefined) return done("unknown");
  const value = parsedOrInvalid(definition, said);
  if (value === undefined) return done("invalid");
  const at = {
    workspaceId: permit.scope.workspace,
    fieldId: definition.field_id,
    sessionKey: CUSTOMER_KEY,
  };
  const isSame = standing === hex(hashValue(subject.key, at, value));
  if (isSame || (standing === undefined && value === null)) return done("unchanged");
  const origin = RECORD_WRITER[definition.class];
  const proposal = { definition, key: subject.key, sessionKey: CUSTOMER_KEY, origin, value };
  return done(
    "written",
    proposeAndPromote(op, permit, proposal, { path: "reconcile", rule: "system_of_record" }),
  );
}

function parsedOrInvalid(definition: FieldDefinition, said: unknown): MaybeValue | undefined {
  try {
    return parseFieldValue(definition, said);
  } catch (error) {
    if (error instanceof MunimentError) return undefined;
    throw error;
  }
}
