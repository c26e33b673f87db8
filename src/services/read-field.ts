import { notFound } from "../domain/errors.js";
import type { FieldDefinition } from "../domain/field.js";
import { parseFieldId } from "../domain/field-rules.js";
import { type FieldRow, findField, listFields } from "../storage/queries/field-find.js";
import type { Caller } from "./caller.js";
import { makeCursor, readCursor } from "./cursor.js";
import { govern } from "./govern.js";
import { listDefinitionsInput, readFieldInput } from "./inputs/field.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";

export interface FieldView {
  readonly field: FieldDefinition;
  readonly reason: string;
  readonly created_at: string;
}

export interface ReadFieldReply extends FieldView {
  readonly decision: DecisionReply;
}

/** A version of a field's definition; the latest where none is named. Old versions stay readable. */
export function readField(
  services: Services,
  caller: Caller,
  id: string,
  query: unknown,
): Promise<ReadFieldReply> {
  return govern(services, caller, "read_field", async (op) => {
    const fieldId = parseFieldId(id, "field_id");
    const { version } = parseInput(readFieldInput, query);
    const permit = op.permit({ type: "field", fieldId }, {});
    const row = await services.store.transact(permit, async (tx) => {
      const [[found]] = await tx.send([findField(permit, fieldId, version ?? null)]);
      if (found === undefined) throw notFound();
      await tx.commit([op.audit(permit, { reads: [touched([found])] })]);
      return found;
    });
    return { ...view(row), decision: op.decision() };
  });
}

export interface ListDefinitionsReply {
  readonly fields: readonly FieldView[];
  readonly cursor: string | null;
  readonly decision: DecisionReply;
}

/** Latest definition of each of the tenant's fields, by id. */
export function listDefinitions(
  services: Services,
  caller: Caller,
  query: unknown,
): Promise<ListDefinitionsReply> {
  return govern(services, caller, "list_definitions", async (op) => {
    const { limit, cursor } = parseInput(listDefinitionsInput, query);
    const permit = op.permit({ type: "tenant" }, {});
    const { principal } = caller;
    const key = await services.keyring.tenantKey(principal.tenant);
    const list = ["list_definitions"];
    const after = readCursor(key, principal, list, cursor) ?? "";
    const rows = await services.store.transact(permit, async (tx) => {
      const [found] = await tx.send([listFields(permit, null, after, limit)]);
      await tx.commit([op.audit(permit, { reads: [touched(found)] })]);
      return found;
    });
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      fields: rows.map(view),
      cursor: last === undefined ? null : makeCursor(key, principal, list, last.fieldId),
      decision: op.decision(),
    };
  });
}

function touched(rows: readonly FieldRow[]) {
  return {
    kind: "field_definition",
    ids: rows.map(({ fieldId, version }) => `${fieldId}@${version}`),
  };
}

function view(row: FieldRow): FieldView {
  return { field: row.definition, reason: row.reason, created_at: row.createdAt.toISOString() };
}
