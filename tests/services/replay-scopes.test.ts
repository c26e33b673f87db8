import { beforeAll, expect, it } from "vitest";
import { createServices } from "../../src/compose/open.js";
import { trustedId } from "../../src/domain/ids.js";
import { type LedgerLine, NO_MARKS } from "../../src/domain/ledger.js";
import { replayLedger } from "../../src/services/replay-ledger.js";
import { describeEachDatabase } from "../setup/databases.js";
import {
  fieldBody,
  openTestMuniment,
  refusalOf,
  routeBody,
  type TestMuniment,
} from "../support/muniment.js";

describeEachDatabase("replay of what is narrower than a person", (database) => {
  let m: TestMuniment;
  let names = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putField("pref_word", fieldBody());
    await m.operator().putRoute("chat", routeBody({ store_fields: ["pref_word"] }));
  });

  const row = (source_id: string) => ({
    session: "old",
    source_id,
    text: `words of ${source_id}`,
    observed_at: "2026-02-01T09:00:00Z",
  });
  const importRows = async (subject: string, ...sources: string[]) =>
    (await m.app().importTurns(subject, { route_id: "chat", rows: sources.map(row) })).rows.map(
      ({ status }) => status,
    );

  async function person() {
    const subject = `person-${names++}`;
    await importRows(subject, "m1", "m2");
    const turns = await m.db.query<{ turn_id: string; subject_id: string }>(
      "select turn_id, subject_id from muniment.turn where subject_id = (select max(subject_id::text) from muniment.subject)::uuid order by seq",
    );
    const [first, second] = turns;
    return {
      subject,
      id: first?.subject_id ?? "",
      turns: [first?.turn_id ?? "", second?.turn_id ?? ""],
    };
  }

  /** A process that starts over the same database and custody. */
  const start = () => {
    const { store, keyring, clock } = m.services;
    return replayLedger(createServices({ store, keyring, clock, onAlarm: () => undefined }));
  };
  const tenantId = async () => (await m.services.directory.tenant("bank-au")).tenantId;
  const append = async (line: LedgerLine) =>
    (await m.services.keyring.ledger.append(await tenantId(), [line]))[0]?.seq ?? 0;
  const headSeq = async () =>
    (await m.db.query<{ seq: number }>("select seq::int from muniment.ledger_head"))[0]?.seq ?? 0;
  const sessionOf = async (id: string) =>
    (
      await m.db.query<{ session_id: string }>(
        "select session_id from muniment.session where subject_id = $1",
        [id],
      )
    )[0]?.session_id ?? "";
  const turnsOf = async (id: string) =>
    (
      await m.db.query<{ turn_id: string }>(
        "select turn_id from muniment.turn where subject_id = $1 order by seq",
        [id],
      )
    ).map(({ turn_id }) => turn_id);

  const lineOf = (
    { id }: { readonly id: string },
    step: LedgerLine["step"],
    about: Pick<LedgerLine, "scope" | "target">,
  ): LedgerLine => ({
    ...about,
    step,
    erasureId: trustedId<"ErasureId">(crypto.randomUUID()),
    reason: "erase",
    basis: "data_subject_request",
    subject: trustedId<"SubjectId">(id),
    keyId: null,
    subjectMac: `${"A".repeat(43)}=`,
    ...NO_MARKS,
    at: m.clock.now(),
  });

  it("S5-09 S5-08 an earlier erasure that was broken off is found at the next start, though a later one was done", async () => {
    const [jane, tom] = [await person(), await person()];
    await start();
    const [target = ""] = jane.turns;
    const seq = await append(lineOf(jane, "intent", { scope: "turn", target }));
    await m.privacy().eraseScope(tom.subject, "source", { target: "m1" });
    expect(await headSeq()).toBeLessThan(seq);
    expect(await turnsOf(jane.id)).toEqual(jane.turns);
    await start();
    expect(await turnsOf(jane.id)).toEqual(jane.turns.slice(1));
    expect(await turnsOf(tom.id)).toEqual(tom.turns.slice(1));
    expect(await headSeq()).toBeGreaterThan(seq);
    expect(await start()).toEqual([{ tenant: "bank-au", replayed: 0 }]);
  });

  it("S5-08 S5-10 asked again, an erasure that was broken off is finished, and no later start does it over what came since", async () => {
    const jane = await person();
    await start();
    const [target = ""] = jane.turns;
    const line = {
      ...lineOf(jane, "intent", { scope: "turn", target }),
      reason: "correct",
    } as const;
    await append(line);
    const asked = { target, reason: "correct", text: "right words" } as const;
    const { erasure_id: id } = await m.privacy().eraseScope(jane.subject, "turn", asked);
    expect(id).toBe(line.erasureId);
    await start();
    expect(await turnsOf(jane.id)).toEqual(jane.turns);
  });

  /** Somebody who talks, in a chat and a run that an erasure's intent names; the erasure was broken off. */
  async function brokenOff(scope: "session" | "run" | "field") {
    const subject = `person-${names++}`;
    const { run_id: run } = await m
      .app()
      .startRun(subject, "main", { route_id: "chat", goal: "talk" });
    const say = async (text: string) =>
      (await m.app().appendTurns(run, { turns: [{ role: "user", text }] })).turn_ids[0] ?? "";
    const set = (value: string) => m.reviewer().setPreference(subject, "pref_word", { value });
    const before = await say("said before");
    await m.app().writeWorking(run, { questions: ["what was said"] });
    await set("before");
    await start();
    const [row] = await m.db.query<{ subject_id: string; session_id: string }>(
      "select subject_id, session_id from muniment.run where run_id = $1",
      [run],
    );
    const { subject_id: id = "", session_id: session = "" } = row ?? {};
    const line = async (field: string) => {
      // A field is named by an id that is made of its name: one that is done and undone tells it.
      const done = await m.privacy().eraseScope(subject, "field", { target: field });
      const [erasure] = await m.db.query<{ target: string }>(
        "select target from muniment.erasure where erasure_id = $1",
        [done.erasure_id],
      );
      return erasure?.target ?? "";
    };
    const target = { session, run, field: scope === "field" ? await line("pref_word") : "" }[scope];
    if (scope === "field") await set("again");
    await start();
    m.clock.forward({ seconds: 1 });
    const intent = lineOf({ id }, "intent", { scope, target });
    await append(intent);
    m.clock.forward({ hours: 1 });
    return { subject, id, run, say, set, before, erasureId: intent.erasureId };
  }

  it.each(["session", "run"] as const)(
    "S5-08 what is said after an erasure of a %s that was broken off, and not asked for again, stays",
    async (scope) => {
      const jane = await brokenOff(scope);
      const after = await jane.say("said after");
      await start();
      expect(await turnsOf(jane.id)).toEqual([after]);
      const view = await m.app().readRun(jane.run);
      expect(view).toMatchObject({ goal: "talk", working: [] });
      const { receipt, state } = await m.privacy().readErasure(jane.erasureId);
      expect((await m.privacy().verifyErasure(jane.erasureId, {})).ok).toBe(true);
      expect(state).toBe("closed");
      const kept = receipt?.kept.filter(({ rows }) => rows > 0).map(({ name }) => name);
      expect(kept).toEqual(expect.arrayContaining(["run"]));
      await jane.say("said at last");
    },
  );

  it.each(["session", "run"] as const)(
    "S5-08 a %s in which nothing was said since goes as a whole",
    async (scope) => {
      const jane = await brokenOff(scope);
      await start();
      expect(await turnsOf(jane.id)).toEqual([]);
      expect(await refusalOf(m.app().readRun(jane.run))).toBe("not_found");
    },
  );

  it("S5-08 a field that is set anew after its erasure was broken off keeps the new value", async () => {
    const jane = await brokenOff("field");
    await jane.set("after");
    await start();
    expect((await m.operator().listFields(jane.subject)).fields).toMatchObject([
      { value: "after" },
    ]);
    const values = await m.db.query(
      "select version from muniment.field_value where subject_id = $1",
      [jane.id],
    );
    expect(values).toHaveLength(1);
  });

  it("S5-08 S5-10 asked again, an erasure that was broken off takes what came since too, and knows it again", async () => {
    const jane = await person();
    await start();
    await append(lineOf(jane, "intent", { scope: "session", target: await sessionOf(jane.id) }));
    m.clock.forward({ hours: 1 });
    await importRows(jane.subject, "m3");
    await m.privacy().eraseScope(jane.subject, "session", { target: "old" });
    expect(await turnsOf(jane.id)).toEqual([]);
    await start();
    const rows = [{ ...row("m3"), session: "other" }];
    const again = await m.app().importTurns(jane.subject, { route_id: "chat", rows });
    expect(again.rows.map(({ status }) => status)).toEqual(["skipped"]);
  });

  it("S5-08 nothing is corrected that an erasure which was broken off is going to take", async () => {
    const jane = await person();
    await start();
    const [target = ""] = jane.turns;
    const correct = () => {
      const asked = { target, reason: "correct", text: "right words" } as const;
      return m.privacy().eraseScope(jane.subject, "turn", asked);
    };
    for (const about of [
      { scope: "turn", target },
      { scope: "session", target: await sessionOf(jane.id) },
    ] as const) {
      await append(lineOf(jane, "intent", about));
      expect(await refusalOf(correct())).toBe("unavailable");
    }
    await start();
    expect((await correct()).reason).toBe("erase");
  });

  it("S5-08 no hold is placed on what an erasure that was broken off is going to take", async () => {
    const jane = await person();
    await start();
    const [target = ""] = jane.turns;
    await append(lineOf(jane, "intent", { scope: "turn", target }));
    const hold = () => m.privacy().placeHold(jane.subject, {});
    expect(await refusalOf(hold())).toBe("unavailable");
    await start();
    expect((await hold()).covers).toBe("subject");
    expect(await turnsOf(jane.id)).toEqual(jane.turns.slice(1));
  });

  it("S5-09 a restored database loses again what was forgotten, and knows it again when it comes", async () => {
    const jane = await person();
    await start();
    const [head] = await m.db.query<{ seq: number; mac: string }>(
      "select seq::int, mac from muniment.ledger_head",
    );
    const copy = `backup_${names++}`;
    for (const table of ["turn", "external_id"])
      await m.db.query(
        `create table muniment.${copy}_${table} as select * from muniment.${table} where subject_id = '${jane.id}'`,
      );
    const { erasure_id: id } = await m
      .privacy()
      .eraseScope(jane.subject, "source", { target: "m1" });
    await m.privacy().placeHold(jane.subject, {});
    for (const table of ["external_id", "turn"]) {
      await m.db.query(`delete from muniment.${table} where subject_id = '${jane.id}'`);
      await m.db.query(`insert into muniment.${table} select * from muniment.${copy}_${table}`);
      await m.db.query(`drop table muniment.${copy}_${table}`);
    }
    await m.db.query("delete from muniment.tombstone where erasure_id = $1", [id]);
    await m.db.query("delete from muniment.erasure where erasure_id = $1", [id]);
    await m.db.query("delete from muniment.hold where subject_id = $1", [jane.id]);
    await m.db.query("update muniment.ledger_head set seq = $1, mac = $2", [head?.seq, head?.mac]);
    await start();
    expect(await turnsOf(jane.id)).toEqual(jane.turns.slice(1));
    expect(await importRows(jane.subject, "m1", "m2")).toEqual(["skipped", "duplicate"]);
    expect(await refusalOf(m.privacy().eraseSubject(jane.subject, {}))).toBe("on_hold");
    expect(await m.privacy().verifyErasure(id, {})).toMatchObject({ ok: true });
    expect(m.alarms).toEqual([]);
  });
});
