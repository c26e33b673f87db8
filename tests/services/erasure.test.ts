import { beforeAll, expect, it } from "vitest";
import { KEPT_STORES } from "../../src/domain/erased-stores.js";
import { sweep } from "../../src/services/sweep.js";
import { SUBJECT_TABLES } from "../../src/storage/queries/subject-end.js";
import { describeEachDatabase } from "../setup/databases.js";
import {
  fieldBody,
  openTestMuniment,
  refusalOf,
  routeBody,
  type TestMuniment,
} from "../support/muniment.js";

const SECRET = "quokka-sentinel-2718";

/** Columns with text beside those of `SUBJECT_TABLES`, with what they hold instead of a person's. */
const WORDS = "a word of ours";
const OPERATORS = "what operators wrote: no person's";
const MAC = "an HMAC or a hash";
const OTHER_TEXTS: Readonly<Record<string, string>> = {
  "audit.foreign_ref": MAC,
  "audit.isolation_keys": WORDS,
  "audit.memory_profile": OPERATORS,
  "audit.memory_reads": "ids and counts",
  "audit.memory_writes": "ids and counts",
  "audit.operation": WORDS,
  "audit.policy_ids": OPERATORS,
  "audit.policy_set": MAC,
  "audit.principal_kind": WORDS,
  "audit.refusal": WORDS,
  "audit.request_id": "an id of the request, ours",
  "audit.route_id": OPERATORS,
  "audit.ttl_policy": WORDS,
  "audit.verdict": WORDS,
  "deployment.custody_id": "an id of ours",
  "dimension.author_sealed": "the operator's id, under the tenant's key",
  "dimension.definition": OPERATORS,
  "dimension.dimension_id": OPERATORS,
  "dimension.reason": OPERATORS,
  "erasure.basis": WORDS,
  "erasure.reason": WORDS,
  "erasure.reached": "ids and times",
  "erasure.receipt": "ids, counts and times",
  "erasure.removed": "counts",
  "erasure.scope": WORDS,
  "erasure.state": WORDS,
  "erasure.subject_mac": MAC,
  "field.author_sealed": "the operator's id, under the tenant's key",
  "field.definition": OPERATORS,
  "field.field_id": OPERATORS,
  "field.reason": OPERATORS,
  "hold.basis": WORDS,
  "hold.scope": WORDS,
  "hold.subject_mac": MAC,
  "ledger_head.mac": MAC,

  "migration.name": WORDS,
  "migration.sha256": MAC,
  "model_usage.day": "a date",
  "model_usage.task": WORDS,
  "promotion.actor_kind": WORDS,
  "promotion.actor_sealed": "sealed under the key that is destroyed",
  "promotion.field_id": OPERATORS,
  "promotion.new_hash": MAC,
  "promotion.old_hash": MAC,
  "promotion.path": WORDS,
  "promotion.policy_ids": OPERATORS,
  "promotion.policy_set": MAC,
  "promotion.rule": WORDS,
  "promotion.source": WORDS,
  "route.author_sealed": "the operator's id, under the tenant's key",
  "route.definition": OPERATORS,
  "route.profile_hash": MAC,
  "route.reason": OPERATORS,
  "route.route_id": OPERATORS,
  "subject.state": WORDS,
  "tenant.name": OPERATORS,
  "tombstone.item_mac": MAC,
  "tombstone.kind": WORDS,
  "tombstone.reason": WORDS,
  "workspace.name": OPERATORS,
};

describeEachDatabase("erasure", (database) => {
  let m: TestMuniment;
  let names = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putField("pref_word", fieldBody());
    await m.operator().putRoute("chat", routeBody({ store_fields: ["pref_word"] }));
  });

  const newPerson = () => `person-${names++}@example.com`;

  /** Somebody with a row in as many tables as one conversation fills. */
  async function person(subject = newPerson()) {
    const app = m.app("bank-au", `key-${subject}-${names++}`);
    const { run_id: run } = await app.startRun(subject, "main", { route_id: "chat", goal: SECRET });
    await m.app().appendTurns(run, { turns: [{ role: "user", text: SECRET, speaker: subject }] });
    await m.app().writeWorking(run, { questions: [SECRET] });
    await m.app().writeCheckpoint(run, { step: 1, result: { word: SECRET } });
    await m.app().assemble(run, { recall: { query: "quokka" } });
    await m.reviewer().setPreference(subject, "pref_word", { value: "quokka" });
    return { subject, run };
  }

  const countsOf = async (subjectId: string) => {
    const counts: Record<string, number> = {};
    for (const table of SUBJECT_TABLES) {
      const [row] = await m.db.query<{ found: number }>(
        `select count(*)::int as found from muniment.${table} where subject_id = $1`,
        [subjectId],
      );
      counts[table] = row?.found ?? -1;
    }
    return counts;
  };

  /** Every row of a person as it stands. */
  const bytesOf = async (subjectId: string) =>
    await Promise.all(
      SUBJECT_TABLES.map((table) =>
        m.db.query(
          `select t::text as bytes from muniment.${table} t where subject_id = $1 order by 1`,
          [subjectId],
        ),
      ),
    );

  const subjectOf = async (run: string) => {
    const [row] = await m.db.query<{ subject_id: string }>(
      "select subject_id from muniment.run where run_id = $1",
      [run],
    );
    return row?.subject_id ?? "";
  };

  it("S1-26 S5-08 erasing a person leaves no row of theirs, and says so by searching", async () => {
    const { subject, run } = await person();
    const other = await person();
    const [gone, stays] = [await subjectOf(run), await subjectOf(other.run)];
    const before = await bytesOf(stays);
    const receipt = await m.privacy().eraseSubject(subject, {});
    expect(Object.values(await countsOf(gone)).every((count) => count === 0)).toBe(true);
    expect(await bytesOf(stays)).toEqual(before);
    expect(receipt).toMatchObject({ reason: "erase", scope: "subject", tenant: "bank-au" });
    expect(receipt.stores.every(({ found }) => found === 0)).toBe(true);
    const removed = Object.fromEntries(receipt.stores.map((s) => [s.name, s.rows_removed]));
    expect(removed).toMatchObject({ turn: 1, run: 1, session: 1, checkpoint: 1, field_value: 1 });
    expect(JSON.stringify(receipt)).not.toContain(subject);
    expect(JSON.stringify(receipt)).not.toContain(SECRET);
    expect(m.alarms).toEqual([]);
  });

  it("S5-08 nothing of an erased person is read or written any more", async () => {
    const { subject, run } = await person();
    await m.privacy().eraseSubject(subject, {});
    expect(await refusalOf(m.app().readRun(run))).toBe("not_found");
    const turns = [{ role: "user", text: "still there?" }];
    expect(await refusalOf(m.app().appendTurns(run, { turns }))).toBe("not_found");
    expect(await refusalOf(m.app().assemble(run, {}))).toBe("not_found");
    expect(await refusalOf(m.operator().listFields(subject))).toBe("not_found");
  });

  it("S5-08 a service that a newer version has overtaken forgets nobody: it doesn't know where to look", async () => {
    const { subject, run } = await person();
    await m.db.query("insert into muniment.migration values (9999, 'later.sql', 'x', now())");
    const turn = (await m.app().listTurns(run, {})).turns[0]?.turn_id ?? "";
    expect(await refusalOf(m.privacy().eraseSubject(subject, {}))).toBe("unavailable");
    const narrow = m.privacy().eraseScope(subject, "turn", { target: turn });
    expect(await refusalOf(narrow)).toBe("unavailable");
    await m.app().readRun(run);
    await m.db.query("delete from muniment.migration where number = 9999");
    await m.privacy().eraseSubject(subject, {});
    expect(await refusalOf(m.app().readRun(run))).toBe("not_found");
  });

  it("S1-26 asked again, it answers with the receipt that stands", async () => {
    const { subject } = await person();
    const { decision: _, ...first } = await m.privacy().eraseSubject(subject, {});
    const { decision: __, ...again } = await m.privacy().eraseSubject(subject, {});
    expect(again).toEqual(first);
    expect(await m.privacy().readErasure(first.erasure_id)).toMatchObject({
      state: "closed",
      receipt: first,
    });
    expect(await refusalOf(m.privacy().eraseSubject("never-was", {}))).toBe("not_found");
  });

  it("S5-14 who doesn't answer for privacy erases nobody, the person bound to it included", async () => {
    const { subject } = await person();
    expect(await refusalOf(m.app().eraseSubject(subject, {}))).toBe("denied");
    expect(await refusalOf(m.customer(subject).eraseSubject(subject, {}))).toBe("denied");
    expect(await refusalOf(m.as({ roles: [] }).eraseSubject(subject, {}))).toBe("not_found");
    expect(await refusalOf(m.privacy("bank-nz").eraseSubject(subject, {}))).toBe("not_found");
    expect((await m.operator().listFields(subject)).fields).toHaveLength(1);
  });

  it("S5-08 a repeat of a request from before the erasure is refused, and makes nobody", async () => {
    const subject = newPerson();
    const asked = { route_id: "chat", goal: "x" };
    const app = () => m.app("bank-au", `repeat-${subject}`);
    await app().startRun(subject, "main", asked);
    await m.privacy().eraseSubject(subject, {});
    expect(await refusalOf(app().startRun(subject, "main", asked))).toBe("erased");
    expect(await refusalOf(m.operator().listFields(subject))).toBe("not_found");
    await m.app().startRun(subject, "main", asked);
    expect((await m.operator().listFields(subject)).fields).toEqual([]);
    const left = "select count(*)::int as n from muniment.tombstone where kind = 'request'";
    expect((await m.db.query(left))[0]?.n).toBeGreaterThan(0);
    m.clock.forward({ hours: 30 });
    await sweep(m.services);
    expect(await m.db.query(left)).toEqual([{ n: 0 }]);
  });

  it("S5-08 an import brings back nothing that was observed before the erasure, and makes nobody for it", async () => {
    const { subject } = await person();
    const row = (source: string, hours: number) => ({
      session: "old",
      source_id: source,
      text: `${SECRET} ${source}`,
      observed_at: new Date(m.clock.now().getTime() + hours * 3_600_000).toISOString(),
    });
    const send = (...rows: object[]) =>
      m.app().importTurns(subject, { route_id: "chat", rows } as never);
    await send(row("a", -2));
    await m.privacy().eraseSubject(subject, {});
    const again = await send(row("a", -2), row("b", -1));
    expect(again).toMatchObject({ imported: 0, skipped: 2, rows: [{ status: "skipped" }, {}] });
    expect(again.rows[0]?.refusal?.kind).toBe("erased");
    expect(await refusalOf(m.operator().listFields(subject))).toBe("not_found");
    const mixed = await send(row("a", -2), row("c", 1));
    expect(mixed).toMatchObject({ imported: 1, skipped: 1 });
    const later = await send(row("a", -2), row("c", 1), row("d", 2));
    expect(later).toMatchObject({ imported: 1, duplicates: 1, skipped: 1 });
    await m.privacy().eraseSubject(subject, {});
  });

  it("S5-13 a pack of an erased person can't be explained, and so not be used", async () => {
    const { subject, run } = await person();
    const { pack_id: pack } = await m.app().assemble(run, {});
    expect(await m.app().explainPack(pack)).toMatchObject({ valid: true });
    await m.privacy().eraseSubject(subject, {});
    expect(await refusalOf(m.app().explainPack(pack))).toBe("not_found");
  });

  it("S5-08 every column that can hold a text is emptied with its subject, or is known for what else it holds", async () => {
    const columns = await m.db.query<{ table: string; column: string }>(
      `select c.table_name as "table", c.column_name as "column" from information_schema.columns c
        where c.table_schema = 'muniment' and c.udt_name not in ('uuid', '_uuid', 'int4', 'int8', 'bool', 'timestamptz')
        order by 1, 2`,
    );
    const emptied = new Set<string>(SUBJECT_TABLES);
    const others = columns
      .filter(({ table }) => !emptied.has(table))
      .map(({ table, column }) => `${table}.${column}`);
    expect(others).toEqual(Object.keys(OTHER_TEXTS).toSorted());
  });

  it("S5-08 every table that says whose its rows are is emptied, or is known to keep no content", async () => {
    const found = await m.db.query<{ table: string }>(
      `select table_name as "table" from information_schema.columns
        where table_schema = 'muniment' and column_name = 'subject_id' order by table_name`,
    );
    expect(found.map(({ table }) => table).toSorted()).toEqual(
      [...SUBJECT_TABLES, ...KEPT_STORES].toSorted(),
    );
  });
});
