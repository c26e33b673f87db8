import { beforeAll, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import type { NarrowScope } from "../../src/domain/erasure.js";
import { LIMITS } from "../../src/domain/limits.js";
import { describeEachDatabase } from "../setup/databases.js";
import {
  fieldBody,
  openTestMuniment,
  refusalOf,
  routeBody,
  type TestMuniment,
} from "../support/muniment.js";

const OBSERVED = "2026-02-01T09:00:00Z";

describeEachDatabase("forgetting something of a person who stays", (database) => {
  let m: TestMuniment;
  let names = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putField("pref_word", fieldBody());
    await m
      .operator()
      .putRoute("chat", routeBody({ store_fields: ["pref_word"], tools: ["recall_turns"] }));
  });

  const newPerson = () => `person-${names++}`;
  const row = (source_id: string, text: string, change: object = {}) => ({
    session: "old",
    source_id,
    text,
    observed_at: OBSERVED,
    ...change,
  });
  const importRows = (subject: string, ...rows: object[]) =>
    m.app().importTurns(subject, { route_id: "chat", rows: rows as never });
  const forget = (subject: string, scope: NarrowScope, body: object) =>
    m.privacy().eraseScope(subject, scope, body as never);
  const start = async (subject: string, session = "main") =>
    (await m.app().startRun(subject, session, { route_id: "chat", goal: "talk" })).run_id;
  const say = async (run: string, ...texts: string[]) =>
    (
      await m.app().appendTurns(run, {
        turns: texts.map((text) => ({ role: "user" as const, text })),
      })
    ).turn_ids;
  const recalled = async (run: string, query: string) =>
    (await m.app().recallTurns(run, { query })).hits.map(({ text }) => text);
  const episodes = (run: string) =>
    m.db.query<{ turn_ids: string[] }>(
      "select e.turn_ids from muniment.episode e join muniment.run r using (tenant_id, subject_id) where r.run_id = $1",
      [run],
    );
  const statuses = async (subject: string, ...rows: object[]) =>
    (await importRows(subject, ...rows)).rows.map(({ status }) => status);

  it("S5-08 S5-13 S4-29 a turn that is erased is found by no recall, and what it was shown in isn't valid", async () => {
    const subject = newPerson();
    await importRows(
      subject,
      row("m1", "the vault code is walnut"),
      row("m2", "walnut cake on Sunday"),
    );
    const run = await start(subject);
    const { pack_id: pack } = await m.app().assemble(run, { recall: { query: "walnut" } });
    expect(await m.app().explainPack(pack)).toMatchObject({ valid: true });
    const receipt = await forget(subject, "source", { target: "m1" });
    expect(receipt).toMatchObject({ scope: "source", reason: "erase" });
    expect(receipt.stores.find(({ name }) => name === "turn")).toEqual({
      name: "turn",
      found: 0,
      rows_removed: 1,
    });
    expect(receipt.stores.every(({ found }) => found === 0)).toBe(true);
    expect(await recalled(run, "walnut")).toEqual(["walnut cake on Sunday"]);
    expect(await m.app().explainPack(pack)).toMatchObject({ valid: false });
    expect(await m.privacy().verifyErasure(receipt.erasure_id, {})).toMatchObject({ ok: true });
    // In quotes: two letters stand in every other signature.
    expect(JSON.stringify(receipt)).not.toContain('"m1"');
    expect(m.alarms).toEqual([]);
  });

  it("S5-13 explain says of an older pack's lines which were forgotten since, and why; of the others as before", async () => {
    const subject = newPerson();
    const rows = [row("m1", "the vault code is walnut"), row("m2", "walnut cake on Sunday")];
    await importRows(subject, ...rows);
    await m.reviewer().setPreference(subject, "pref_word", { value: "walnut" });
    const run = await start(subject);
    const { pack_id: pack } = await m.app().assemble(run, { recall: { query: "walnut" } });
    const said = async () =>
      (await m.app().explainPack(pack)).entries.map(({ kind, forgotten }) => [kind, forgotten]);
    const before = await said();
    expect(before.filter(([, forgotten]) => forgotten !== null)).toEqual([]);
    await forget(subject, "source", { target: "m1", reason: "retract" });
    await forget(subject, "field", { target: "pref_word" });
    const kinds = (await said()).filter(([, forgotten]) => forgotten !== null);
    expect(kinds).toHaveLength(2);
    expect(kinds).toEqual(expect.arrayContaining([["recalled", "retract"]]));
    expect(kinds.map(([, forgotten]) => forgotten)).toContain("erase");
    expect(JSON.stringify(await m.app().explainPack(pack))).not.toContain("vault");
  });

  it.each([
    ["erase", ["skipped", "skipped", "imported"]],
    ["retract", ["skipped", "imported", "skipped"]],
    ["expire", ["imported", "imported", "duplicate"]],
    ["policy", ["imported", "imported", "duplicate"]],
  ] as const)(
    "S5-10 after `%s` an import decides by source, text and time: %o",
    async (reason, expected) => {
      const subject = newPerson();
      await importRows(subject, row("m1", "Her sister is called Ada"));
      await forget(subject, "source", { target: "m1", reason });
      m.clock.forward({ hours: 1 });
      const later = { observed_at: "2026-03-02T09:00:00Z" };
      expect(await statuses(subject, row("m1", "Her sister is called Ada"))).toEqual([expected[0]]);
      expect(await statuses(subject, row("m2", "her SISTER is  called Ada"))).toEqual([
        expected[1],
      ]);
      expect(await statuses(subject, row("m1", "Her sister moved", later))).toEqual([expected[2]]);
      const other = newPerson();
      expect(await statuses(other, row("m1", "Her sister is called Ada"))).toEqual(["imported"]);
    },
  );

  it("S5-10 a source that was withdrawn isn't said again in a chat either", async () => {
    const subject = newPerson();
    const run = await start(subject);
    const turns = [{ role: "user" as const, text: "I live in Oslo", source_id: "mail-1" }];
    await m.app().appendTurns(run, { turns });
    await forget(subject, "source", { target: "mail-1", reason: "retract" });
    expect(await refusalOf(m.app().appendTurns(run, { turns }))).toBe("erased");
    await say(run, "I live in Oslo");
    expect(await recalled(run, "Oslo")).toEqual(["I live in Oslo"]);
  });

  it("S5-10 a corrected turn shows its new text alone, and its old one isn't imported again", async () => {
    const subject = newPerson();
    await importRows(subject, row("m1", "the meeting is on Tuesday"));
    const run = await start(subject);
    const text = "the meeting is on Friday";
    await forget(subject, "source", { target: "m1", reason: "correct", text });
    expect(await recalled(run, "meeting")).toEqual([text]);
    expect(await statuses(subject, row("m9", "The meeting is on Tuesday"))).toEqual(["skipped"]);
    expect(await recalled(run, "tuesday meeting")).toEqual([text]);
    for (const [scope, body] of [
      ["source", { target: "m1", reason: "correct" }],
      ["source", { target: "m1", text }],
      ["run", { target: run, reason: "correct" }],
    ] as const)
      expect(await refusalOf(forget(subject, scope, body))).toBe("invalid_input");
    expect(m.alarms).toEqual([]);
  });

  it("S5-08 S4-23 a session goes with its runs, names, working memory and episodes; another one stays", async () => {
    const subject = newPerson();
    const [run, other] = [await start(subject, "one"), await start(subject, "two")];
    await say(run, "the ring is under the oak");
    await say(other, "the ring is lost");
    await m.app().writeWorking(run, { questions: ["where is the oak"] });
    await m.app().writeCheckpoint(run, { step: 1, result: { place: "oak" } });
    await m.app().closeSession(subject, "one", {});
    await m.jobs.run();
    expect((await episodes(other)).length).toBe(1);
    const receipt = await forget(subject, "session", { target: "one" });
    const removed = Object.fromEntries(receipt.stores.map((s) => [s.name, s.rows_removed]));
    expect(removed).toMatchObject({ turn: 1, run: 1, session: 1, episode: 1, trace: 1 });
    expect(receipt.stores.every(({ found }) => found === 0)).toBe(true);
    expect(await episodes(other)).toEqual([]);
    expect(await refusalOf(m.app().readRun(run))).toBe("not_found");
    expect(await recalled(other, "ring")).toEqual(["the ring is lost"]);
    const { decision: _, ...first } = receipt;
    const { decision: __, ...again } = await forget(subject, "session", { target: "one" });
    expect(again).toEqual(first);
    expect(await statuses(subject, row("m1", "other words", { session: "one" }))).toEqual([
      "skipped",
    ]);
  });

  it("S5-10 S5-08 an episode of mixed turns is made again from those that are left", async () => {
    const subject = newPerson();
    const run = await start(subject, "chat");
    const [first = ""] = await say(run, "When is the card cancelled?", "What does the loan cost?");
    await m.app().closeSession(subject, "chat", {});
    await m.jobs.run();
    const cited = async () => (await episodes(run)).flatMap(({ turn_ids }) => turn_ids);
    expect(await cited()).toContain(first);
    await forget(subject, "turn", { target: first, reason: "retract" });
    expect(await cited()).toEqual([]);
    await m.jobs.run();
    expect(await cited()).not.toContain(first);
    expect((await cited()).length).toBeGreaterThan(0);
  });

  it("S5-08 S5-10 a digest that was made of a turn which is forgotten meanwhile isn't kept, but made again without it", async () => {
    const subject = newPerson();
    const run = await start(subject, "chat");
    const [first = ""] = await say(run, "When is the card cancelled?", "What does the loan cost?");
    await m.app().closeSession(subject, "chat", { observe: false });
    const late = createJobs({
      ...m.services,
      digester: {
        ...m.services.digester,
        ask: async (...asked) => {
          const made = await m.services.digester.ask(...asked);
          await forget(subject, "turn", { target: first });
          return made;
        },
      },
    });
    expect(await late.run()).toMatchObject({ retry: 1, done: 1 });
    const cited = (await episodes(run)).flatMap(({ turn_ids }) => turn_ids);
    expect(cited.length).toBeGreaterThan(0);
    expect(cited).not.toContain(first);
  });

  it("S5-08 what a run wrote after a turn goes with the turn, and so does what a run was shown", async () => {
    const subject = newPerson();
    const run = await start(subject);
    await m.app().writeWorking(run, { failures: ["too slow"] });
    m.clock.forward({ seconds: LIMITS.clocksApartSecondsMax + 1 });
    const [turn = ""] = await say(run, "my card ends in 4471");
    await m.app().writeWorking(run, { questions: ["which card", "is it 4471"] });
    const reader = await start(subject, "second");
    await m.app().assemble(reader, { recall: { query: "card" } });
    m.clock.forward({ seconds: 1 });
    await m.app().writeWorking(reader, { questions: ["4471 again"] });
    const left = async (id: string) =>
      (
        await m.db.query<{ class: string }>(
          "select class from muniment.working where run_id = $1 order by class, item_key",
          [id],
        )
      ).map((found) => found.class);
    const before = await left(run);
    await forget(subject, "turn", { target: turn });
    expect(before).toEqual(["failure", "question", "question"]);
    expect(await left(run)).toEqual(["failure"]);
    expect(await left(reader)).toEqual([]);
  });

  it("S5-10 a field is erased with its history and proposals, and corrected down to the value that stands", async () => {
    const subject = newPerson();
    const values = async () =>
      (
        await m.db.query<{ n: number }>(
          `select count(*)::int as n from muniment.field_value v join muniment.run r using (tenant_id, subject_id)
            where r.run_id = $1`,
          [run],
        )
      )[0]?.n;
    const run = await start(subject);
    for (const value of ["first", "second"])
      await m.reviewer().setPreference(subject, "pref_word", { value });
    expect(await values()).toBe(2);
    await forget(subject, "field", { target: "pref_word", reason: "correct" });
    expect(await values()).toBe(1);
    expect((await m.operator().listFields(subject)).fields).toMatchObject([{ value: "second" }]);
    await forget(subject, "field", { target: "pref_word" });
    expect((await m.operator().listFields(subject)).fields).toEqual([]);
    await m.reviewer().setPreference(subject, "pref_word", { value: "third" });
    expect((await m.operator().listFields(subject)).fields).toMatchObject([{ value: "third" }]);
    const { promotions } = await m.operator().listPromotions(subject, {});
    expect(promotions).toHaveLength(3);
  });

  it("S5-14 who doesn't answer for privacy forgets nothing, and what isn't there is missing", async () => {
    const subject = newPerson();
    await importRows(subject, row("m1", "x"));
    const body = { target: "m1" };
    expect(await refusalOf(m.app().eraseScope(subject, "source", body))).toBe("denied");
    expect(await refusalOf(m.customer(subject).eraseScope(subject, "source", body))).toBe("denied");
    expect(await refusalOf(m.privacy("bank-nz").eraseScope(subject, "source", body))).toBe(
      "not_found",
    );
    expect(await refusalOf(forget(newPerson(), "source", body))).toBe("not_found");
    for (const target of ["m2", crypto.randomUUID()])
      for (const scope of ["session", "run", "source", "turn", "episode"] as const)
        expect(await refusalOf(forget(subject, scope, { target }))).toBe("not_found");
  });
});
