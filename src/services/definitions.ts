import { MunimentError } from "../domain/errors.js";
import type { FieldDefinition } from "../domain/field.js";
import { invalid } from "../domain/fields.js";
import type { FieldId } from "../domain/ids.js";
import type { AskedAction } from "../policy/question.js";
import { type FieldRow, findField } from "../storage/queries/field-find.js";
import type { Operation } from "./operation.js";

/**
 * The latest definition of a field, or null. It may come from the cache: the statement that relies on it fails with
 * `definition_changed` where there is a later one, and the operation is tried again.
 */
export async function latestDefinition<A extends AskedAction>(
  op: Operation<A>,
  fieldId: FieldId,
): Promise<FieldDefinition | null> {
  const { fields } = op.services.caches;
  const cacheKey = `${op.caller.principal.tenant}/${fieldId}`;
  const row = fields.get(cacheKey) ?? (await readDefinition(op, fieldId, null));
  if (row === undefined) return null;
  fields.set(cacheKey, row);
  op.relyOn(() => fields.delete(cacheKey));
  return row.definition;
}

/** The same where the path names the field. */
export async function definitionInPath<A extends AskedAction>(
  op: Operation<A>,
  fieldId: FieldId,
): Promise<FieldDefinition> {
  const definition = await latestDefinition(op, fieldId);
  if (definition === null) throw new MunimentError("not_found", "no such field: apply it first");
  return definition;
}

/** The same where the body names the field, under `at`. */
export async function definitionInBody<A extends AskedAction>(
  op: Operation<A>,
  fieldId: FieldId,
  at: string,
): Promise<FieldDefinition> {
  const definition = await latestDefinition(op, fieldId);
  if (definition === null) throw invalid(at, "is no field of the store");
  return definition;
}

/** One version of a definition: it never changes. */
export async function definitionAt<A extends AskedAction>(
  op: Operation<A>,
  fieldId: FieldId,
  version: number,
): Promise<FieldDefinition> {
  const { fields } = op.services.caches;
  const cacheKey = `${op.caller.principal.tenant}/${fieldId}@${version}`;
  const row = fields.get(cacheKey) ?? (await readDefinition(op, fieldId, version));
  if (row === undefined) throw new MunimentError("internal", "a candidate's field is missing");
  fields.set(cacheKey, row);
  return row.definition;
}

async function readDefinition<A extends AskedAction>(
  { services, caller }: Operation<A>,
  fieldId: FieldId,
  version: number | null,
): Promise<FieldRow | undefined> {
  const permit = services.policy.resolvePermit(caller.principal, services.clock.now());
  const [[row]] = await services.store.transact(permit, (tx) =>
    tx.commit([findField(permit, fieldId, version)]),
  );
  return row;
}
