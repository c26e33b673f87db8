import type { SubjectKey } from "../domain/keyring.js";
import { fitsSchema } from "../domain/value-rules.js";
import type { FieldValueRow } from "../storage/queries/field-value-list.js";
import type { OnAlarm } from "../storage/store.js";
import { actorPlace, CUSTOMER_KEY, type MaybeValue, openValue } from "./field-values.js";
import { orAlarm } from "./integrity.js";

/** A field's value as its reader sees it. */
export interface OpenField {
  readonly row: FieldValueRow;
  readonly value: MaybeValue;
  readonly updatedBy: string;
  readonly key: "customer" | "session";
  /** False where the field was defined anew and wouldn't take the value any more: no model is shown it. */
  readonly fits: boolean;
}

/**
 * Opens values that stand. One whose seal, or whose row of the log, doesn't open in its place is left out and reported: who
 * can write rows can't write a fact.
 */
export function openFields(
  rows: readonly FieldValueRow[],
  key: SubjectKey,
  onAlarm: OnAlarm,
): readonly OpenField[] {
  return rows.flatMap((row) => {
    const opened = orAlarm(onAlarm, () => ({
      value: openValue(key, row, row.valueSealed),
      updatedBy: key.open(actorPlace(row), row.actorSealed),
    }));
    if (opened === null || row.removed) return [];
    return [
      {
        row,
        ...opened,
        key: row.sessionKey === CUSTOMER_KEY ? "customer" : "session",
        fits: fitsSchema(row.definition.value_schema, opened.value),
      },
    ];
  });
}
