import { readMigrations } from "../migrate.js";
import { type Statement, sql } from "../sql.js";

/**
 * The database has no table that this version doesn't know: a newer version may have brought it forward beneath a service that
 * runs on. Fails with `schema_newer`.
 */
export function requireKnownSchema(): Statement {
  const known = readMigrations().length;
  return sql`
    with later as (
      select number from muniment.migration where number > ${known}::integer order by number limit 1
    )
    select muniment.require(not exists (select 1 from later), 'schema_newer')`;
}
