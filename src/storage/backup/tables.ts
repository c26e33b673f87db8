import { assert } from "../../domain/errors.js";
import type { MigrationConnection } from "../migration-connection.js";

/** A table as a backup sees it. All names are quoted where they must be. */
export interface BackupTable {
  readonly name: string;
  /** Columns that a row is written with. */
  readonly columns: readonly string[];
  /** What puts its rows into one order on every server. */
  readonly order: readonly string[];
  /** Tables whose rows must be there first. */
  readonly parents: readonly string[];
}

// From the catalogue, so that a table which comes later can't be forgotten. The migrator writes its own record.
const TABLES = `
  select pg_catalog.quote_ident(c.relname) as name,
    (select pg_catalog.array_agg(pg_catalog.quote_ident(a.attname) order by a.attnum)
      from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    (select pg_catalog.array_agg(
        pg_catalog.quote_ident(a.attname) || case when a.attcollation <> 0 then ' collate "C"' else '' end
        order by pg_catalog.array_position(i.indkey::int2[], a.attnum))
      from pg_catalog.pg_index i
      join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
      where i.indrelid = c.oid and i.indisprimary) as "order",
    coalesce((select pg_catalog.array_agg(distinct pg_catalog.quote_ident(p.relname))
      from pg_catalog.pg_constraint k
      join pg_catalog.pg_class p on p.oid = k.confrelid
      where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid), '{}') as parents
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'muniment' and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'migration'
  order by c.relname collate "C"`;

/** All tables of the schema, each after those that it refers to. */
export async function readTables(connection: MigrationConnection): Promise<readonly BackupTable[]> {
  const { rows } = await connection.query(TABLES);
  return parentsFirst(rows as unknown as readonly BackupTable[]);
}

function parentsFirst(tables: readonly BackupTable[]): readonly BackupTable[] {
  const sorted = new Map<string, BackupTable>();
  while (sorted.size < tables.length) {
    const next = tables.find(
      ({ name, parents }) => !sorted.has(name) && parents.every((parent) => sorted.has(parent)),
    );
    assert(next !== undefined, "foreign keys of the schema have no circle");
    sorted.set(next.name, next);
  }
  return [...sorted.values()];
}
