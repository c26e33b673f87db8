import { beforeAll, expect, it } from "vitest";
import type { KeyId, SubjectId, TenantId } from "../../src/domain/ids.js";
import { LINEAGE } from "../../src/domain/lineage.js";
import { createEndpointEmbedder } from "../../src/models/endpoint-embedder.js";
import { embedTurns } from "../../src/services/embed-turns.js";
import { replayLedger } from "../../src/services/replay-ledger.js";
import { sealSegments } from "../../src/services/seal-segments.js";
import { tendKeys } from "../../src/services/tend-keys.js";
import { SEALED_TABLES } from "../../src/storage/reseal/sealed-tables.js";
import { describeEachDatabase } from "../setup/databases.js";
import { linesOf, plantPerson, prepareTenant } from "../support/archived-person.js";
import { beforeTransaction, dyingAfter } from "../support/broken-off.js";
import { openEmbeddingEndpoint } from "../support/embedding-endpoint.js";
import { openTestMuniment, refusalOf, type TestMuniment } from "../support/muniment.js";

const KEPT_HOURS = 30 * 24;
const GOAL = { route_id: "chat", goal: "x" };
const said = (text: string) => ({ turns: [{ role: "user", text }] });

interface Person {
  readonly tenant: TenantId;
  readonly subject: SubjectId;
  readonly key: KeyId;
}

describeEachDatabase("new data keys", (database) => {
  let m: TestMuniment;

  async function personOf(name: string): Promise<Person> {
    const [archived] = (await linesOf(m.privacy().exportSubject(name))).slice(1);
    const [row] = await m.db.query<Person & Record<string, unknown>>(
      `select tenant_id as tenant, subject_id as subject, key_id as key from muniment.subject where subject_id = $1`,
      [archived?.subject_id],
    );
    if (row === undefined) throw new Error("nobody");
    return row;
  }

  /** First bytes of all that is sealed of a person, by column. */
  async function headsOf({ subject }: Person): Promise<ReadonlyMap<string, readonly string[]>> {
    const heads = new Map<string, readonly string[]>();
    for (const { table, sealed } of SEALED_TABLES)
      for (const column of Object.keys(sealed)) {
        const rows = await m.db.query<{ head: string }>(
          `select distinct encode(substring(${column} from 1 for 1), 'hex') as head from muniment.${table}
           where subject_id = $1 and length(${column}) > 0 order by 1`,
          [subject],
        );
        heads.set(
          `${table}.${column}`,
          rows.map(({ head }) => head),
        );
      }
    return heads;
  }

  const contentOf = async (name: string) =>
    (await linesOf(m.privacy().exportSubject(name))).filter(
      ({ kind }) => kind !== "manifest" && kind !== "trailer",
    );

  const turnsOf = async (run: string) =>
    (await m.app().listTurns(run, { limit: 50 })).turns.map(({ text }) => text).toReversed();

  /** Somebody with a chat of one turn. */
  async function chat(name: string, text = `${name} said this`): Promise<string> {
    const { run_id } = await m.app().startRun(name, "main", GOAL);
    await m.app().appendTurns(run_id, said(text));
    return run_id;
  }

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await prepareTenant(m, "bank-au");
    await plantPerson(m, "jane");
    await chat("neighbour");
    const rows = Array.from({ length: 256 }, (_, n) => ({
      session: "past",
      source_id: `past-${n}`,
      text: `walrus number ${n}`,
      observed_at: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
    }));
    await m.app().importTurns("jane", { route_id: "chat", rows });
    await m.app("bank-au", "repeat-me").startRun("jane", "main", GOAL);
    const filed = await m
      .service("billing")
      .proposeField("jane", { field_id: "vip", value: false });
    const { candidate_id, value_hash } = filed;
    await m.reviewer().promoteByHuman(candidate_id, { value_hash });
    await sealSegments(m.services);
    const { url } = await openEmbeddingEndpoint();
    const embedder = createEndpointEmbedder({ url, model: "small" });
    await embedTurns({ ...m.services, embedder });
  });

  it("S2-29 every column of a person's that is sealed can be sealed under a new key", () => {
    const sealed = Object.entries(LINEAGE).flatMap(([table, { bytes, origin }]) =>
      bytes
        .filter((column) => /(^|_)sealed$/.test(column) && origin !== "nobody")
        .map((column) => `${table}.${column}`),
    );
    const described = SEALED_TABLES.flatMap(({ table, sealed: columns }) =>
      Object.keys(columns).map((column) => `${table}.${column}`),
    );
    expect(described.toSorted()).toEqual(sealed.toSorted());
  });

  it("S2-29 a new key seals everything anew, and nothing that anybody reads changes, a neighbour's bytes included", async () => {
    const jane = await personOf("jane");
    const before = await contentOf("jane");
    const others = async () =>
      JSON.stringify(
        await m.db.query(`select * from muniment.turn where subject_id <> $1 order by turn_id`, [
          jane.subject,
        ]),
      );
    const neighbours = await others();
    for (const column of await headsOf(jane)) expect(column).toEqual([column[0], ["01"]]);

    const reply = await m.privacy().rotateKey("jane", {});

    expect(reply).toMatchObject({ key_version: 2, state: "sealed" });
    expect(reply.resealed).toBeGreaterThan(256);
    for (const column of await headsOf(jane)) expect(column).toEqual([column[0], ["02"]]);
    expect(await contentOf("jane")).toEqual(before);
    expect(await others()).toEqual(neighbours);
    // Cold: from the segments, under the new key.
    m.services.indexes.drop(jane.tenant, jane.subject);
    const { run_id } = await m.app("bank-au", "repeat-me").startRun("jane", "main", GOAL);
    const { hits } = await m.app().recallTurns(run_id, { query: "walrus 217" });
    expect(hits[0]?.text).toBe("walrus number 217");
    expect(m.alarms).toEqual([]);
    const audit = await m.db.query(
      "select memory_writes from muniment.audit where operation = 'rotate_key' and subject_id = $1",
      [jane.subject],
    );
    expect(JSON.stringify(audit)).toContain("subject_key");
  });

  it("S2-29 the key before opens what a backup of before brings back, until its days are over; then nothing does", async () => {
    const run = await chat("pat");
    const { subject } = await personOf("pat");
    const bytes = async () =>
      (
        await m.db.query<{ content: string }>(
          "select encode(content_sealed, 'hex') as content from muniment.turn where subject_id = $1",
          [subject],
        )
      )[0]?.content;
    const putBack = (content: string | undefined) =>
      m.db.query(
        "update muniment.turn set content_sealed = decode($2, 'hex') where subject_id = $1",
        [subject, content],
      );
    const old = await bytes();
    const { older_until } = await m.privacy().rotateKey("pat", {});
    await putBack(old);
    expect(await turnsOf(run)).toEqual(["pat said this"]);
    await tendKeys(m.services);
    expect((await bytes())?.slice(0, 2)).toBe("02");

    m.clock.forward({ hours: KEPT_HOURS - 1 });
    expect(new Date(older_until) > m.clock.now()).toBe(true);
    await tendKeys(m.services);
    await putBack(old);
    const later = await chat("pat", "a month later");
    expect(m.alarms).toEqual([]);
    // Somebody's row is left under the old key: it goes to the new one first.
    m.clock.forward({ hours: 2 });
    const reports = await tendKeys(m.services);
    expect(reports[0]?.destroyed).toBeGreaterThan(0);
    await putBack(old);
    expect(await turnsOf(later)).not.toContain("pat said this");
    expect(m.alarms.length).toBeGreaterThan(0);
    const [left] = await m.db.query(
      "select key_rotated_at from muniment.subject where subject_id = $1",
      [subject],
    );
    expect(left).toEqual({ key_rotated_at: null });
  });

  it("S2-29 cut short after any of its transactions, it goes on when asked again, and in the background", async () => {
    const { store } = m.services;
    for (let cut = 1; ; cut++) {
      const name = `cut-${cut}`;
      const run = await chat(name);
      const failing = dyingAfter(store, cut);
      Object.assign(m.services, { store: failing });
      const outcome = await refusalOf(m.privacy().rotateKey(name, {})).catch(() => "done");
      Object.assign(m.services, { store });
      expect(await turnsOf(run)).toEqual([`${name} said this`]);
      if (outcome === "done") break;
      expect(cut).toBeLessThan(12);
      await m.app().appendTurns(run, said("and this"));
      if (cut % 2 === 0) await replayLedger(m.services);
      else await m.privacy().rotateKey(name, {});
      await tendKeys(m.services);
      const heads = [...(await headsOf(await personOf(name))).values()].flat();
      // Broken off before there was a new key, the background has nothing to do.
      expect(new Set(heads).size).toBe(1);
      expect(await turnsOf(run)).toEqual([`${name} said this`, "and this"]);
    }
  });

  it("S2-29 what is written and read while it goes on is whole", async () => {
    const run = await chat("busy");
    const texts = Array.from({ length: 12 }, (_, n) => `word ${n}`);
    const write = async () => {
      for (const text of texts) {
        await m.app().appendTurns(run, said(text));
        expect(await turnsOf(run)).toContain(text);
      }
    };
    const rotate = async () => {
      for (let n = 0; n < 3; n++) await m.privacy().rotateKey("busy", {});
    };
    await Promise.all([write(), rotate()]);
    expect(await turnsOf(run)).toEqual(["busy said this", ...texts]);
    await tendKeys(m.services);
    expect(new Set([...(await headsOf(await personOf("busy"))).values()].flat())).toEqual(
      new Set(["02"]),
    );
  });

  it.each([1, 2])(
    "S2-29 a key isn't destroyed by the time of a rotation that another one has followed meanwhile (before transaction %i)",
    async (nth) => {
      const name = `followed-${nth}`;
      await chat(name);
      const { tenant, subject, key } = await personOf(name);
      await m.privacy().rotateKey(name, {});
      m.clock.forward({ hours: KEPT_HOURS + 1 });
      const { store } = m.services;
      const between = beforeTransaction(store, subject, nth, async () => {
        Object.assign(m.services, { store });
        await m.privacy().rotateKey(name, {});
        Object.assign(m.services, { store: between });
      });
      Object.assign(m.services, { store: between });
      await tendKeys(m.services);
      Object.assign(m.services, { store });
      const kept = await m.services.keyring.subjectKey(tenant, subject, key);
      const [row] = await m.db.query(
        "select key_rotated_at from muniment.subject where subject_id = $1",
        [subject],
      );
      expect(kept?.version).toBe(3);
      expect(kept?.olderHeads.map((head) => Buffer.from(head).toString("hex"))).toContain(
        "0200000002",
      );
      expect(row).not.toEqual({ key_rotated_at: null });
      expect(JSON.stringify(await contentOf(name))).toContain(`${name} said this`);
    },
  );

  it("S5-03 S5-08 a value that names a key nobody made is left out with an alarm, and can be forgotten", async () => {
    const run = await chat("forged");
    const { turn_ids } = await m.app().appendTurns(run, said("broken by somebody"));
    for (const version of ["ffffffff", "00000002"]) {
      const before = m.alarms.length;
      await m.db.query(
        "update muniment.turn set content_sealed = decode($2, 'hex') || substring(content_sealed from 6) where turn_id = $1",
        [turn_ids[0], `02${version}`],
      );
      expect(await turnsOf(run)).toEqual(["forged said this"]);
      expect(m.alarms.length).toBeGreaterThan(before);
    }
    const target = turn_ids[0] ?? "";
    const { stores } = await m.privacy().eraseScope("forged", "turn", { target });
    expect(stores.find((store) => store.name === "turn")?.found).toBe(0);
  });

  it("S5-08 an erasure wins over a rotation that is under way: every key goes, and nothing is sealed anew", async () => {
    for (const first of ["rotate", "erase"]) {
      const name = `gone-${first}`;
      const run = await chat(name);
      const { tenant, subject, key } = await personOf(name);
      const rotate = () => refusalOf(m.privacy().rotateKey(name, {})).catch(() => "done");
      const erase = () => m.privacy().eraseSubject(name, {});
      await Promise.all(first === "rotate" ? [rotate(), erase()] : [erase(), rotate()]);
      await tendKeys(m.services);
      expect(await m.services.keyring.subjectKey(tenant, subject, key)).toBe(null);
      expect(await refusalOf(m.app().listTurns(run, { limit: 5 }))).toBe("not_found");
      expect([...(await headsOf({ tenant, subject, key })).values()].flat()).toEqual([]);
      expect(await refusalOf(m.privacy().rotateKey(name, {}))).toBe("not_found");
    }
  });

  it("S5-09 a database from before the rotation is sealed anew once the ledger was followed", async () => {
    const run = await chat("restored");
    const { subject, tenant } = await personOf("restored");
    const [old] = await m.db.query<{ content: string }>(
      "select encode(content_sealed, 'hex') as content from muniment.turn where subject_id = $1",
      [subject],
    );
    const [head] = await m.db.query<{ seq: number; mac: string }>(
      "select seq, mac from muniment.ledger_head where tenant_id = $1",
      [tenant],
    );
    await m.privacy().rotateKey("restored", {});
    await m.db.query(
      "update muniment.turn set content_sealed = decode($2, 'hex') where subject_id = $1",
      [subject, old?.content],
    );
    await m.db.query("update muniment.subject set key_rotated_at = null where subject_id = $1", [
      subject,
    ]);
    await m.db.query("update muniment.ledger_head set seq = $2, mac = $3 where tenant_id = $1", [
      tenant,
      head?.seq,
      head?.mac,
    ]);
    await replayLedger(m.services);
    await tendKeys(m.services);
    const heads = [...(await headsOf(await personOf("restored"))).values()].flat();
    expect(new Set(heads)).toEqual(new Set(["02"]));
    expect(await turnsOf(run)).toEqual(["restored said this"]);
  });

  const trailLength = async () =>
    (await m.db.query<{ n: number }>("select count(*)::int as n from muniment.audit"))[0]?.n ?? 0;

  it("S2-29 the background leaves a trail of what it sealed, and none of having looked; it looks again when nobody can write under the older key any more", async () => {
    await chat("quiet");
    const { subject } = await personOf("quiet");
    const old = await m.db.query<{ content: string }>(
      "select encode(content_sealed, 'hex') as content from muniment.turn where subject_id = $1",
      [subject],
    );
    await m.privacy().rotateKey("quiet", {});
    await tendKeys(m.services);
    const before = await trailLength();
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      m.clock.forward({ hours: 1 });
      await tendKeys(m.services);
    }
    expect(await trailLength()).toBe(before);
    // As a process would that had taken the older key before.
    await m.db.query(
      "update muniment.turn set content_sealed = decode($2, 'hex') where subject_id = $1",
      [subject, old[0]?.content],
    );
    m.clock.forward({ hours: 10 });
    const [report] = await tendKeys(m.services);
    expect(report?.resealed).toBe(1);
    const after = await trailLength();
    await tendKeys(m.services);
    expect(await trailLength()).toBe(after);
  });

  it("S2-29 rows that don't open keep no older key, however many they are", async () => {
    const rows = Array.from({ length: 205 }, (_, n) => ({
      session: "old",
      source_id: `m${n}`,
      text: `number ${n}`,
      observed_at: "2026-01-01T00:00:00Z",
    }));
    await m.app().importTurns("broken", { route_id: "chat", rows });
    const { subject } = await personOf("broken");
    await m.privacy().rotateKey("broken", {});
    await m.db.query(
      "update muniment.turn set content_sealed = decode('01' || repeat('00', 40), 'hex') where subject_id = $1",
      [subject],
    );
    expect(await m.privacy().rotateKey("broken", {})).toMatchObject({ key_version: 3 });
    m.clock.forward({ hours: KEPT_HOURS + 1 });
    await tendKeys(m.services);
    const [left] = await m.db.query(
      "select key_rotated_at from muniment.subject where subject_id = $1",
      [subject],
    );
    expect(left).toEqual({ key_rotated_at: null });
  });

  it("S2-29 no more than eight keys of a person are kept at once", async () => {
    await chat("often");
    for (let n = 0; n < 7; n++) await m.privacy().rotateKey("often", {});
    expect(await refusalOf(m.privacy().rotateKey("often", {}))).toBe("version_conflict");
  });

  it("S5-14 only who answers for privacy may ask for a new key", async () => {
    await chat("asked");
    for (const who of [m.app(), m.operator(), m.customer("asked")])
      expect(["denied", "not_found"]).toContain(await refusalOf(who.rotateKey("asked", {})));
  });
});
