import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { linesOf } from "../support/archived-person.js";
import { backUp, startAnew } from "../support/database-backup.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

const AHEAD = ["2026-03-01T19:00:00Z", "2026-12-24T00:00:00Z", "9999-12-31T23:59:59Z"];

describeEachDatabase("what claims a time ahead of ours", (database) => {
  let m: TestMuniment;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  const row = (source_id: string, text: string, observed_at: string) => ({
    session: "old",
    source_id,
    text,
    observed_at,
  });
  const ROWS = AHEAD.map((at, place) => row(`m${place}`, `I keep quokka ${place}`, at));
  const bring = async (subject: string, rows = ROWS) =>
    (await m.app().importTurns(subject, { route_id: "chat", rows })).rows.map(
      ({ status }) => status,
    );
  const weigh = async (subject: string, source_id: string, effective_at: string) => {
    const event = { source: "scale", source_id, source_revision: 1, effective_at };
    const weight = { kind: "measurement" as const, key: "weight", value: 80, unit: "kg" };
    const events = [{ ...event, ...weight }];
    const reply = await m.service("connector").recordEvents(subject, { events });
    return reply.events[0]?.status;
  };
  const people = async () => (await m.db.query("select 1 from muniment.subject")).length;
  const archiveOf = async (subject: string) => {
    const lines = await linesOf(m.privacy().exportSubject(subject));
    const subjectLine = lines.find(({ kind }) => kind === "subject") ?? {};
    return {
      subject: subjectLine,
      lines: lines.filter((line) => "subject_id" in line && line.kind !== "subject"),
    };
  };

  it("S5-08 S5-10 a person who was erased isn't brought back by rows, records or lines with a time ahead, and nobody is made for them", async () => {
    await bring("jane");
    await weigh("jane", "w1", "2026-03-02T05:00:00Z");
    const archive = await archiveOf("jane");
    await m.privacy().eraseSubject("jane", {});
    m.clock.forward({ seconds: 1 });
    const before = await people();
    expect(await bring("jane")).toEqual(["skipped", "skipped", "skipped"]);
    const copies = ROWS.map((one) => ({ ...one, source_id: `copy of ${one.source_id}` }));
    expect(await bring("jane", copies)).toEqual(["skipped", "skipped", "skipped"]);
    expect(await weigh("jane", "w1", "2026-03-02T05:00:00Z")).toBe("skipped");
    const recorded_at = m.clock.now().toISOString();
    const later = archive.lines.map((line) => ({ ...line, recorded_at }));
    const lines = later.filter(({ kind }) => kind === "turn" || kind === "event");
    const { lines: replies } = await m.privacy().importSubject("jane", { ...archive, lines });
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set(["skipped"]));
    expect(await people()).toBe(before);
    // What she says anew comes in: that somebody once claimed a time doesn't bar what is honest.
    expect(await bring("jane", [row("n1", "hello again", "2026-03-01T10:00:00Z")])).toEqual([
      "imported",
    ]);
    expect(await weigh("jane", "w2", "2026-03-01T10:00:00Z")).toBe("recorded");
    expect(await bring("jane")).toEqual(["skipped", "skipped", "skipped"]);
    // The words of one are nobody else's.
    expect(await bring("john")).toEqual(["imported", "imported", "imported"]);
  });

  it("S5-08 S5-10 what was forgotten of somebody who stays doesn't come back either, nor once they are forgotten as a whole", async () => {
    await bring("kim");
    const record = m.clock.now();
    record.setHours(record.getHours() + 20);
    await weigh("kim", "w1", record.toISOString());
    for (const target of ["m0", "m1", "scale/w1"])
      await m.privacy().eraseScope("kim", "source", { target });
    await m.privacy().eraseScope("kim", "session", { target: "old" });
    m.clock.forward({ seconds: 1 });
    expect(await bring("kim")).toEqual(["skipped", "skipped", "skipped"]);
    expect(await weigh("kim", "w1", record.toISOString())).toBe("skipped");
    const { run_id: run } = await m.app().startRun("kim", "new", { route_id: "chat", goal: "x" });
    const said = { role: "user" as const, text: "other words", source_id: "m0" };
    const turns = [{ ...said, observed_at: "9999-01-01T00:00:00Z" }];
    expect(await refusalOf(m.app().appendTurns(run, { turns }))).toBe("erased");
    await m.privacy().eraseSubject("kim", {});
    m.clock.forward({ seconds: 1 });
    expect(await bring("kim")).toEqual(["skipped", "skipped", "skipped"]);
    expect(await weigh("kim", "w1", record.toISOString())).toBe("skipped");
  });

  it("S5-09 S5-10 nor after a restore of before, which follows the ledger", async () => {
    await bring("lea");
    await bring("tom");
    const restore = await backUp(m);
    await m.privacy().eraseSubject("lea", {});
    await m.privacy().eraseScope("tom", "source", { target: "m2" });
    m.clock.forward({ seconds: 1 });
    await restore();
    await startAnew(m);
    expect(await bring("lea")).toEqual(["skipped", "skipped", "skipped"]);
    expect(await bring("tom")).toEqual(["duplicate", "duplicate", "skipped"]);
  });

  it("S5-08 it travels with the tenant's tombstones", async () => {
    const tombstones = (await linesOf(m.privacy().exportTenant())).filter(
      ({ of }) => of === "ahead",
    );
    expect(tombstones.length).toBeGreaterThan(0);
    await m.db.query("delete from muniment.tombstone where kind = 'ahead'");
    await m.privacy().importTenant({ lines: tombstones });
    expect(await bring("jane")).toEqual(["skipped", "skipped", "skipped"]);
  });

  it("S5-10 what a rule or a clock ended comes again whatever it claims", async () => {
    await bring("eve");
    await m.privacy().eraseScope("eve", "source", { target: "m1", reason: "expire" });
    await m.privacy().eraseScope("eve", "source", { target: "m2", reason: "policy" });
    expect(await bring("eve")).toEqual(["duplicate", "imported", "imported"]);
  });

  it("S5-08 nor does it come back by another workspace, once the person was erased", async () => {
    await bring("nora");
    await m.privacy().eraseSubject("nora", {});
    m.clock.forward({ seconds: 1 });
    const ward = m.as({ id: "app", roles: ["app"], workspace: "ward" });
    const { rows } = await ward.importTurns("nora", { route_id: "chat", rows: ROWS });
    expect(rows.map(({ status }) => status)).toEqual(["skipped", "skipped", "skipped"]);
  });

  it("S5-08 S5-09 nor a person who was erased under another internal id than the backup's", async () => {
    const before = await backUp(m);
    await bring("ruth");
    const after = await backUp(m);
    await before();
    await startAnew(m);
    await m.app().startRun("ruth", "new", { route_id: "chat", goal: "x" });
    await m.privacy().eraseSubject("ruth", {});
    await after();
    await startAnew(m);
    m.clock.forward({ seconds: 1 });
    expect(await bring("ruth")).toEqual(["skipped", "skipped", "skipped"]);
  });
});
