import type { TestDatabase } from "../setup/databases.js";

/** Tables with one row a tenant. */
const SINGLE = ["ledger_head"];

/** Outside the wall by decision: what they hold is nobody's. */
const OUTSIDE = ["tenant", "deployment", "migration"];

export interface SeededTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isPersonal: boolean;
  /** A tenant has one row of it. */
  readonly isSingle: boolean;
}

interface Column extends Readonly<Record<string, unknown>> {
  readonly table_name: string;
  readonly column_name: string;
  readonly udt_name: string;
}

/** One subject's keys: seeded rows of every table fit together by them. */
export interface Owner {
  readonly tenant: string;
  readonly subject: string;
  readonly workspace: string;
  readonly session: string;
  readonly run: string;
  readonly route: string;
}

export function newOwner(tenant: string): Owner {
  const [subject, workspace, session, run] = Array.from({ length: 4 }, () => crypto.randomUUID());
  return {
    tenant,
    subject: subject ?? "",
    workspace: workspace ?? "",
    session: session ?? "",
    run: run ?? "",
    route: `r_${crypto.randomUUID().replaceAll("-", "")}`,
  };
}

const ALLOWED: Readonly<Record<string, string | number>> = {
  "subject.state": "active",
  "external_id.kind": "subject",
  "session.state": "open",
  "run.state": "active",
  "turn.role": "user",
  "event.kind": "report",
  "working.class": "slot",
  "work.state": "queued",
  "trace.outcome": "completed",
  "episode.origin": "append",
  "episode.outcome": "completed",
  "observation.basis": "quoted",
  "observation.tier": "reported",
  "audit.verdict": "allow",
  "segment.after_revision": 0,
  "candidate.state": "open",
  "promotion.path": "human",
  "erasure.state": "closed",
  "tombstone.kind": "item",
};

function byName(owner: Owner, column: string): unknown {
  switch (column) {
    case "turn_ids":
      return [owner.run];
    case "tenant_id":
      return owner.tenant;
    case "subject_id":
      return owner.subject;
    case "workspace_id":
      return owner.workspace;
    case "session_id":
      return owner.session;
    case "run_id":
      return owner.run;
    case "route_id":
      return owner.route;
    case "field_id":
      return owner.route;
    case "turn_id":
    case "candidate_id":
    case "promotion_id":
      return owner.run;
    case "new_hash":
    case "value_hash":
      return new TextEncoder().encode(owner.run);
    default:
      return undefined;
  }
}

function byType(type: string): unknown {
  switch (type) {
    case "uuid":
      return crypto.randomUUID();
    case "text":
      return crypto.randomUUID();
    case "bytea":
      return crypto.getRandomValues(new Uint8Array(16));
    case "jsonb":
      return "{}";
    case "_text":
    case "_uuid":
      return [];
    case "date":
      return "2026-03-01";
    case "timestamptz":
      return new Date("2099-01-01T00:00:00Z");
    case "bool":
      return true;
    default:
      return 1;
  }
}

function valueFor(
  owner: Owner,
  { table_name: table, column_name: column, udt_name: type }: Column,
): unknown {
  return ALLOWED[`${table}.${column}`] ?? byName(owner, column) ?? byType(type);
}

/** Tables inside the wall, parents first. */
export async function readTables(
  database: TestDatabase,
): Promise<readonly (SeededTable & { readonly all: readonly Column[] })[]> {
  const columns = await database.query<Column>(`
    select c.table_name, c.column_name, c.udt_name from information_schema.columns c
    where c.table_schema = 'muniment'
    order by ('muniment.' || c.table_name)::regclass::oid, c.ordinal_position`);
  const names = [...new Set(columns.map((column) => column.table_name))].filter(
    (name) => !OUTSIDE.includes(name),
  );
  return names.map((name) => {
    const all = columns.filter((column) => column.table_name === name);
    const listed = all.map((column) => column.column_name);
    return {
      name,
      columns: listed,
      all,
      isPersonal: listed.includes("subject_id"),
      isSingle: SINGLE.includes(name),
    };
  });
}

/** As the owner, puts one row of each owner into every table, whatever tables there are; one where a tenant has one at most. */
export async function seedEveryTable(
  database: TestDatabase,
  owners: readonly Owner[],
): Promise<readonly SeededTable[]> {
  const tables = await readTables(database);
  for (const { name, columns, all } of tables) {
    const places = columns.map((_column, index) => `$${index + 1}`).join(", ");
    for (const owner of owners) {
      const values = all.map((column) => valueFor(owner, column));
      await database.query(
        `insert into muniment.${name} (${columns.join(", ")}) values (${places}) on conflict do nothing`,
        values,
      );
    }
  }
  return tables;
}
