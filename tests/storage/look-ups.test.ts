import { beforeAll, expect, it } from "vitest";
import { trustedId } from "../../src/domain/ids.js";
import { listNewestEvents } from "../../src/storage/queries/event-find.js";
import { describeEachDatabase, type TestDatabase } from "../setup/databases.js";
import { permitFor } from "./permits.js";
import { readServiceStatements } from "./sql-source.js";

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
  readonly "Join Filter"?: string;
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
    await database.query("set plan_cache_mode = force_generic_plan");
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

  it("S5-04 each external id is looked up by its whole key: a person's rows are never compared with all of their ids", async () => {
    const named = readServiceStatements().filter(({ text }) => /internal_id = \w+\./.test(text));
    expect(named.length).toBeGreaterThan(15);
    const compared: string[] = [];
    for (const { where, text } of named) {
      await database.query(`prepare named as ${text}`);
      const given = Math.max(...Array.from(text.matchAll(/\$(\d+)/g), ([, at]) => Number(at)));
      const nothing = Array.from({ length: given }, () => "null").join(", ");
      const plan = await planOf(`execute named(${nothing})`);
      await database.query("deallocate named");
      for (const filter of joinFiltersOf(plan))
        if (filter.includes("internal_id")) compared.push(`${where}: ${filter}`);
    }
    expect(compared).toEqual([]);
  });

  /** How the only table is read, or this one of several. */
  async function scanOf(text: string, table?: string): Promise<Plan> {
    return (
      scansOf(await planOf(text)).find(
        (scan) => (table ?? scan["Relation Name"]) === scan["Relation Name"],
      ) ?? {}
    );
  }

  async function planOf(text: string): Promise<Plan> {
    const [explained] = await database.query<{ "QUERY PLAN": readonly { Plan: Plan }[] }>(
      `explain (format json, costs off) ${text}`,
    );
    return explained?.["QUERY PLAN"][0]?.Plan ?? {};
  }
});

function joinFiltersOf(plan: Plan): readonly string[] {
  const own = plan["Join Filter"];
  return [...(own === undefined ? [] : [own]), ...(plan.Plans ?? []).flatMap(joinFiltersOf)];
}

function scansOf(plan: Plan): readonly Plan[] {
  return plan["Relation Name"] === undefined ? (plan.Plans ?? []).flatMap(scansOf) : [plan];
}
