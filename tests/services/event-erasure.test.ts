import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { linesOf } from "../support/archived-person.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

describeEachDatabase("forgetting events", (database) => {
  let m: TestMuniment;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  const allergy = (source_id: string, change: object = {}) => ({
    source: "ehr",
    source_id,
    source_revision: 1,
    kind: "report" as const,
    key: "allergy",
    value: `of ${source_id}`,
    effective_at: "2026-02-01T07:00:00Z",
    observer: "nurse-7",
    ...change,
  });
  const record = (subject: string, ...events: ReturnType<typeof allergy>[]) =>
    m.service("connector").recordEvents(subject, { events });
  const left = async (subject: string) =>
    (await m.operator().listEvents(subject, {})).events.map(({ source_id, observer }) => [
      source_id,
      observer,
    ]);

  it("S5-08 S5-13 a source's record is forgotten with each of its revisions, and mayn't come again", async () => {
    await record("jane", allergy("a"), allergy("a", { source_revision: 2 }), allergy("b"));
    const receipt = await m.privacy().eraseScope("jane", "source", { target: "ehr/a" });
    expect(receipt.stores.find(({ name }) => name === "event")).toMatchObject({
      found: 0,
      rows_removed: 2,
    });
    expect(await left("jane")).toEqual([["b", "nurse-7"]]);
    const again = await record("jane", allergy("a", { source_revision: 3 }), allergy("b"));
    expect(again.events).toMatchObject([
      { status: "skipped", refusal: { kind: "erased" } },
      { status: "unchanged" },
    ]);
    const later = allergy("a", { source_revision: 4, effective_at: "2026-03-01T20:00:00Z" });
    expect((await record("jane", later)).recorded).toBe(1);
  });

  it("S5-08 a record of another workspace, named by our id, doesn't come again there", async () => {
    const ward = m.as({ id: "connector", roles: ["connector"], workspace: "ward" });
    const events = [allergy("w")];
    await ward.recordEvents("ida", { events });
    const [row] = await m.db.query<{ source_id: string }>(
      "select e.source_id from muniment.event e join muniment.workspace w using (tenant_id, workspace_id) where w.name = 'ward'",
    );
    await m.privacy().eraseScope("ida", "source", { target: row?.source_id ?? "" });
    expect((await ward.recordEvents("ida", { events })).events).toMatchObject([
      { status: "skipped" },
    ]);
  });

  it("S5-10 what a source has retracted doesn't come again whenever it was so", async () => {
    await record("tom", allergy("a"), allergy("b"));
    await m.privacy().eraseScope("tom", "source", { target: "ehr/a", reason: "retract" });
    const later = allergy("a", { source_revision: 4, effective_at: "2026-03-01T20:00:00Z" });
    expect((await record("tom", later)).events).toMatchObject([{ status: "skipped" }]);
    expect(await left("tom")).toEqual([["b", "nurse-7"]]);
  });

  it("S5-10 a connector's record isn't corrected by hand: its next revision does that", async () => {
    await record("ann", allergy("a"));
    const wanted = { target: "ehr/a", reason: "correct", text: "of nothing" } as const;
    expect(await refusalOf(m.privacy().eraseScope("ann", "source", wanted))).toBe("invalid_input");
    expect(await left("ann")).toHaveLength(1);
  });

  it("S5-08 forgetting a chat leaves events with their names", async () => {
    await record("kim", allergy("a"));
    const said = { role: "user" as const, text: "hello", speaker: "nurse-7", source_id: "m1" };
    const { run_id: run } = await m.app().startRun("kim", "one", { route_id: "chat", goal: "x" });
    await m.app().appendTurns(run, { turns: [said] });
    await m.privacy().eraseScope("kim", "session", { target: "one" });
    expect(await left("kim")).toEqual([["a", "nurse-7"]]);
  });

  it("S5-08 a hold of a source keeps its record", async () => {
    await record("lea", allergy("a"), allergy("b"));
    await m.privacy().placeHold("lea", { covers: "source", target: "ehr/a" });
    const forget = (target: string) => m.privacy().eraseScope("lea", "source", { target });
    expect(await refusalOf(forget("ehr/a"))).toBe("on_hold");
    await forget("ehr/b");
    expect(await left("lea")).toEqual([["a", "nurse-7"]]);
  });

  it("S5-08 S5-14 a hold of a record goes along to where its archive is brought in", async () => {
    const officer = (tenant: string) => m.as({ id: "pia", roles: ["privacy_officer"], tenant });
    await record("mia", allergy("a"), allergy("a", { source_revision: 2 }), allergy("b"));
    await m.privacy().placeHold("mia", { covers: "source", target: "ehr/a" });
    const [, subject, ...lines] = await linesOf(officer("bank-au").exportSubject("mia"));
    const body = { subject, lines: lines.slice(0, -1) } as never;
    const brought = await officer("bank-nz").importSubject("mia", body);
    expect(brought).toMatchObject({ imported: 4, refused: 0 });
    const forget = (target: string) => m.privacy("bank-nz").eraseScope("mia", "source", { target });
    expect(await refusalOf(forget("ehr/a"))).toBe("on_hold");
    await forget("ehr/b");
    const kept = await m.operator("bank-nz").listEvents("mia", {});
    expect(kept.events.map(({ source_id }) => source_id)).toEqual(["a", "a"]);
  });

  it("S5-08 a person who is erased has no events, and old ones don't come back", async () => {
    await record("max", allergy("a"));
    const receipt = await m.privacy().eraseSubject("max", {});
    expect(receipt.stores.find(({ name }) => name === "event")).toMatchObject({
      found: 0,
      rows_removed: 1,
    });
    const again = await record("max", allergy("a"), allergy("b"));
    expect(again.events.map(({ status }) => status)).toEqual(["skipped", "skipped"]);
    expect(await refusalOf(m.operator().listEvents("max", {}))).toBe("not_found");
    expect(m.alarms).toEqual([]);
  });
});
