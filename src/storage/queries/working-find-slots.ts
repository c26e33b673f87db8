import type { Permit } from "../../domain/permit.js";
import type { Pin } from "../../domain/pin.js";
import { tenantScope } from "../scope.js";
import { type Statement, sql } from "../sql.js";
import type { WorkingRow } from "./working-list-by-run.js";

export type SlotRow = Pick<
  WorkingRow,
  "runId" | "class" | "key" | "version" | "valueSealed" | "recordedAt"
>;

/** Slots of these names that the run holds. Sealed for their place in it: one that was moved here doesn't open. */
export function findSlots(
  permit: Permit<"resolve">,
  pin: Pin,
  names: readonly string[],
): Statement<SlotRow> {
  const { tenant } = tenantScope(permit);
  return sql<SlotRow>`
    select w.run_id as "runId", w.class, w.item_key as "key", w.version, w.value_sealed as "valueSealed",
      w.recorded_at as "recordedAt"
    from muniment.working w
    where w.tenant_id = ${tenant} and w.subject_id = ${pin.subject} and w.run_id = ${pin.run} and w.class = 'slot'
      and w.item_key = any(${names}::text[])
    order by w.item_key
    limit ${names.length}`;
}
