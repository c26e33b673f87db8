import { beforeAll, expect, it } from "vitest";
import { trustedId } from "../../src/domain/ids.js";
import { listNewestEvents } from "../../src/storage/queries/event-find.js";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";
import { permitFor } from "./permits.js";

interface ForeignKey extends Record<string, unknown> {
  readonly name: string;
  readonly referenced: string;
  /** Columns of the referenced key, each with a value of its type that stands nowhere. */
  readonly columns: readonly string[];
  readonly conditions: string;
}

interface Plan {
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly Plan[];
}

/** What the server asks of the referenced table for each row that is written. */
const FOREIGN_KEYS = `
  select k.conname as name, k.confrelid::regclass::text as referenced, array_agg(a.attname::text order by c.at) as columns,
    string_agg(format('x.%I = %L::%s', a.attname,
      case when a.atttypid = 'uuid'::regtype then '00000000-0000-4000-8000-000000000000'
        when a.atttypid = 'bytea'::regtype then '\\x00' else '0' end,
      format_type(a.atttypid, a.atttypmod)), ' and ' order by c.at) as conditions
  from pg_catalog.pg_constraint k
  cross join unnest(k.confkey) with ordinality as c(attnum, at)
  join pg_catalog.pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.attnum
  where k.contype = 'f' and k.connamespace = 'muniment'::regnamespace
  group by k.oid, k.conname, k.confrelid
  order by k.conname`;

describeEachDatabase("look-ups in tables that are thought empty", (kind) => {
  let database: TestDatabase;
  let keys: readonly ForeignKey[];

  beforeAll(async () => {
    database = await kind.open();
    keys = await database.query<ForeignKey>(FOREIGN_KEYS);
  });

  it("S5-02 the row that a foreign key names is found by its whole key, also by a plan that was made for empty tables", async () => {
    expect(keys.length).toBeGreaterThan(10);
    const byLess: string[] = [];
    for (const { name, referenced, columns, conditions } of keys) {
      const scan = await scanOf(
        `select 1 from only ${referenced} x where ${conditions} for key share of x`,
      );
      const condition = scan["Index Cond"] ?? "";
      if (!columns.every((column) => condition.includes(column)))
        byLess.push(`${name}: ${scan["Index Name"] ?? "no index"} ${condition}`);
    }
    expect(byLess).toEqual([]);
  });

  it("S4-07 the newest revision of each record is found by one walk along the records", async () => {
    const permit = permitFor({
      tenant: trustedId<"TenantId">(crypto.randomUUID()),
      subject: trustedId<"SubjectId">(crypto.randomUUID()),
    });
    const { text, values } = listNewestEvents(permit, 10);
    const given = text.replaceAll(/\$(\d+)/g, (_, at) => {
      const value = values[Number(at) - 1];
      return `'${value instanceof Date ? value.toISOString() : String(value)}'`;
    });
    expect(await scanOf(given, "event")).toMatchObject({ "Index Name": "event_source_key" });
  });

  /** How the only table is read, or this one of several. */
  async function scanOf(text: string, table?: string): Promise<Plan> {
    const [explained] = await database.query<{ "QUERY PLAN": readonly { Plan: Plan }[] }>(
      `explain (format json, costs off) ${text}`,
    );
    const plan = explained?.["QUERY PLAN"][0]?.Plan ?? {};
    return (
      scansOf(plan).find((scan) => (table ?? scan["Relation Name"]) === scan["Relation Name"]) ?? {}
    );
  }
});

function scansOf(plan: Plan): readonly Plan[] {
  return plan["Relation Name"] === undefined ? (plan.Plans ?? []).flatMap(scansOf) : [plan];
}
