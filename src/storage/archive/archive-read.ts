import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import type { Statement } from "../sql.js";
import { orderOf, textsBy } from "./archive-text.js";
import type { ArchivedRow, ArchivedTable, ColumnType } from "./archived-table.js";

/** Where the next page of a table goes on: the last row's order columns; null at the start. */
export type Place = readonly unknown[] | null;

const NAMES = ["workspace", "speaker", "observer", "source"] as const;

/** Statement that reads a page of a table. */
export const readText = textsBy(makeText);

function makeText(table: ArchivedTable): string {
  const order = orderOf(table);
  const read = table.columns.filter((column) => column.travel !== "made" || order.includes(column));
  const names = NAMES.filter((name) => table.columns.some(({ travel }) => travel === name));
  const joins = names.map((name) =>
    name === "workspace"
      ? "join muniment.workspace w on w.tenant_id = n.tenant_id and w.workspace_id = n.workspace_id"
      : externalJoin(name, `${name}_id`),
  );
  const shown = names.map((name) =>
    name === "workspace"
      ? "w.name as workspace"
      : `${name}.lookup as ${name}_lookup, ${name}.sealed as ${name}_sealed`,
  );
  if (table.isNamed) {
    joins.push(externalJoin("named", table.key[0] ?? ""));
    shown.push("named.lookup as named_lookup, named.sealed as named_sealed");
  }
  const { join = "", select = "" } = table.beside ?? {};
  const columns = [...read.map(({ name }) => `n.${name}`), ...shown, ...(select ? [select] : [])];
  const after = order.map(({ type }, index) => `$${index + 6}::${type}`);
  return `select n.tenant_id as "tenantId", n.subject_id as "subjectId",
  ${columns.join(", ")}
from muniment.${table.table} n
join muniment.subject u on u.tenant_id = n.tenant_id and u.subject_id = n.subject_id
${[...joins, join].filter((text) => text !== "").join("\n")}
where n.tenant_id = :tenant and n.subject_id = :subject and u.state = 'active' and u.key_id = $3
  and ${table.alive} and ${table.kept ?? "true"} and :now::timestamptz is not null
  and (${order.map(({ name }) => `n.${name}`).join(", ")}) > (${after.join(", ")})
order by ${order.map(({ name }) => `n.${name}`).join(", ")}
limit $5`;
}

/** A look-up for each row: joined plainly, tables that nobody has counted are compared row by row. */
function externalJoin(alias: string, column: string): string {
  return `left join lateral (select x.lookup, x.sealed from muniment.external_id x
  where x.tenant_id = n.tenant_id and x.subject_id = n.subject_id and x.internal_id = n.${column} limit 1) ${alias} on true`;
}

const FLOORS: Readonly<Partial<Record<ColumnType, unknown>>> = {
  uuid: "00000000-0000-0000-0000-000000000000",
  text: "",
  integer: -1,
  bigint: -1,
};

/** The next rows of the permit's subject whose clocks run, in the table's order. */
export function readArchived(
  permit: Permit,
  table: ArchivedTable,
  after: Place,
  limit: number,
): Statement<ArchivedRow> {
  const { tenant, subject, keyId, now } = subjectScope(permit);
  const from = after ?? orderOf(table).map(({ type }) => FLOORS[type]);
  return {
    ...readText(table),
    values: [tenant, subject, keyId, now, limit, ...from],
    recheck: { subject: true },
  };
}

export function placeOf(table: ArchivedTable, row: ArchivedRow): Place {
  return orderOf(table).map(({ name }) => row[name]);
}
