import type { MigrationConnection } from "../migration-connection.js";
import type { BackupTable } from "./tables.js";

/** Rows that are fetched at once: a sealed segment of the index or a long slot can be a megabyte. */
const ROWS_MAX = 25;
/** Characters of the rows that one statement writes, beyond a single row's. */
const CHARS_MAX = 4_000_000;

/** Answers and times are spelt alike on every server, and a login that row-level security binds is refused. */
const PREPARE = ["set local timezone = 'UTC'", "set local row_security = off"] as const;

export async function prepareRows(connection: MigrationConnection): Promise<void> {
  for (const statement of PREPARE) await connection.query(statement);
}

/** The table's rows as JSON, one text each without a line break. Inside a transaction. */
export async function* dumpRows(
  connection: MigrationConnection,
  { name, order }: BackupTable,
): AsyncGenerator<readonly string[]> {
  await connection.query(
    `declare backup_rows no scroll cursor for
      select pg_catalog.to_jsonb(t)::text as line from muniment.${name} as t order by ${order.join(", ")}`,
  );
  for (;;) {
    const { rows } = await connection.query(`fetch ${ROWS_MAX} from backup_rows`);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => String(line));
  }
  await connection.query("close backup_rows");
}

/** Writes rows that `dumpRows` gave. */
export async function loadRows(
  connection: MigrationConnection,
  { name, columns }: BackupTable,
  lines: AsyncIterable<string>,
): Promise<void> {
  const list = columns.join(", ");
  const insert = `insert into muniment.${name} (${list})
    select ${list} from pg_catalog.jsonb_populate_recordset(null::muniment.${name}, $1::jsonb)`;
  let waiting: string[] = [];
  let chars = 0;
  const write = async () => {
    if (waiting.length > 0) await connection.query(insert, [`[${waiting.join(",")}]`]);
    waiting = [];
    chars = 0;
  };
  for await (const line of lines) {
    waiting.push(line);
    chars += line.length;
    if (chars > CHARS_MAX) await write();
  }
  await write();
}
