import type { Permit } from "../../domain/permit.js";
import { subjectScope } from "../scope.js";
import type { Statement } from "../sql.js";
import { textsBy } from "./archive-text.js";
import { type ArchivedRow, type ArchivedTable, isNamed, NAMED } from "./archived-table.js";

/** Statement that writes rows of a table. */
export const writeText = textsBy(makeText);

function makeText(table: ArchivedTable): string {
  const { columns, key } = table;
  const given = columns.map(({ name, type, travel }) =>
    isNamed(travel) ? `${travel}_lookup bytea` : `${name} ${type}`,
  );
  const written = columns.map(({ name, travel }) => {
    const filled = table.filled?.[name];
    if (filled !== undefined) return filled;
    if (!isNamed(travel)) return `n.${name}`;
    return `(select p.internal_id from muniment.external_id p
      where p.tenant_id = :tenant and p.kind = '${NAMED[travel]}' and p.lookup = n.${travel}_lookup and p.subject_id = :subject)`;
  });
  const names = columns.map(({ name }) => name);
  const isSame = (left: string, right: string) =>
    key.map((name) => `${left}.${name} = ${right}.${name}`).join(" and ");
  return `with given as (
  select n.place, n.barred, ${columns
    .map(({ name, travel }) => (isNamed(travel) ? `n.${travel}_lookup` : `n.${name}`))
    .join(", ")}
  from jsonb_to_recordset($5::jsonb) as n (place integer, barred boolean, ${given.join(", ")})
), judged as (
  select n.place, ${table.placed} as placed, ${table.alive} and :now::timestamptz is not null as alive,
    exists (select 1 from muniment.${table.table} p
      where p.tenant_id = :tenant and p.subject_id = :subject and ${isSame("p", "n")}) as stood
  from given n
), made as (
  insert into muniment.${table.table} (tenant_id, subject_id, ${names.join(", ")})
  select u.tenant_id, u.subject_id, ${written.join(", ")}
  from muniment.subject u
  cross join given n
  join judged j on j.place = n.place
  where u.tenant_id = :tenant and u.subject_id = :subject and u.key_id = $3 and u.state = 'active' and j.placed and j.alive and not n.barred
  order by n.place
  on conflict do nothing
  returning ${key.join(", ")}
)
select j.place, j.placed, j.alive, j.stood, n.barred, exists (select 1 from made m where ${isSame("m", "n")}) as made
from judged j
join given n on n.place = j.place
order by j.place`;
}

/** What became of a row that was given: where it stood in the batch, and which of its conditions held. */
export interface Landed {
  readonly place: number;
  /** What it belongs to stands. */
  readonly placed: boolean;
  /** Its clock runs. */
  readonly alive: boolean;
  /** It was there before. */
  readonly stood: boolean;
  /** It was forgotten, and mayn't come again. */
  readonly barred: boolean;
  readonly made: boolean;
}

/** Writes rows that aren't there yet, under their own times and versions. Nothing that stands is changed. */
export function writeArchived(
  permit: Permit,
  table: ArchivedTable,
  rows: readonly ArchivedRow[],
): Statement<Landed> {
  const { tenant, subject, keyId, now } = subjectScope(permit);
  return {
    ...writeText(table),
    values: [tenant, subject, keyId, now, JSON.stringify(rows.map(wire))],
  };
}

/** Bytes as the database spells them in text. */
function wire(row: ArchivedRow): ArchivedRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value,
    ]),
  );
}
