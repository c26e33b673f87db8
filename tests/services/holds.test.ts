import { beforeAll, expect, it } from "vitest";
import { sweep } from "../../src/services/sweep.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

describeEachDatabase("legal holds", (database) => {
  let m: TestMuniment;
  let names = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  async function person() {
    const subject = `person-${names++}`;
    const rows = ["one", "two"].map((session) => ({
      session,
      source_id: `mail-${session}`,
      text: `words of ${session}`,
      observed_at: "2026-02-01T09:00:00Z",
    }));
    await m.app().importTurns(subject, { route_id: "chat", rows });
    return subject;
  }
  const forget = (subject: string, scope: "session" | "source", target: string) =>
    m.privacy().eraseScope(subject, scope, { target });
  const lines = async () => {
    const { tenantId } = await m.services.directory.tenant("bank-au");
    return m.services.keyring.ledger.read(tenantId, 0, 500);
  };

  it("S5-08 a held person is neither erased nor partly erased, until the hold is released", async () => {
    const subject = await person();
    const { hold_id: hold, covers } = await m.privacy().placeHold(subject, {});
    expect(covers).toBe("subject");
    const before = await lines();
    expect(await refusalOf(m.privacy().eraseSubject(subject, {}))).toBe("on_hold");
    expect(await refusalOf(forget(subject, "session", "one"))).toBe("on_hold");
    expect(await lines()).toEqual(before);
    expect((await m.privacy().placeHold(subject, {})).hold_id).toBe(hold);
    const listed = (await m.privacy().listHolds({})).holds.find((one) => one.hold_id === hold);
    expect(listed?.subject).toBe(subject);
    const { released_at: released } = await m.privacy().releaseHold(hold);
    expect(released).not.toBeNull();
    expect(await m.privacy().releaseHold(hold)).toMatchObject({ released_at: released });
    expect((await m.privacy().listHolds({})).holds.map(({ hold_id }) => hold_id)).not.toContain(
      hold,
    );
    expect(await m.privacy().eraseSubject(subject, {})).toMatchObject({ scope: "subject" });
    const own = (await lines()).filter(({ erasureId }) => String(erasureId) === hold);
    expect(own.map(({ step }) => step)).toEqual(["hold", "release"]);
  });

  it("S5-08 a hold of a session covers its sources and the whole person, and nothing beside it", async () => {
    const subject = await person();
    await m.privacy().placeHold(subject, { covers: "session", target: "one" });
    expect(await refusalOf(forget(subject, "source", "mail-one"))).toBe("on_hold");
    expect(await refusalOf(m.privacy().eraseSubject(subject, {}))).toBe("on_hold");
    expect(await forget(subject, "source", "mail-two")).toMatchObject({ scope: "source" });
    expect(await refusalOf(m.privacy().placeHold(subject, { covers: "session" }))).toBe(
      "invalid_input",
    );
    expect(await refusalOf(m.privacy().placeHold(subject, { target: "one" }))).toBe(
      "invalid_input",
    );
    expect(
      await refusalOf(m.privacy().placeHold(subject, { covers: "session", target: "none" })),
    ).toBe("not_found");
  });

  it("S5-10 what is held is past its clock unreadable, and still there; released, the sweep takes it", async () => {
    const subject = await person();
    await person();
    // Its ids are in the order in which they were made.
    const [free] = await m.db.query<{ subject_id: string }>(
      "select subject_id from muniment.subject order by subject_id desc limit 1",
    );
    const { hold_id: hold } = await m.privacy().placeHold(subject, {});
    m.clock.forward({ hours: 24 * 400 });
    const turns = async (id: string) =>
      (
        await m.db.query<{ n: number }>(
          `select count(*)::int as n from muniment.turn t where subject_id = $1`,
          [id],
        )
      )[0]?.n;
    const holds = await m.db.query<{ subject_id: string }>(
      "select subject_id from muniment.hold where hold_id = $1",
      [hold],
    );
    const held = holds[0]?.subject_id ?? "";
    await sweep(m.services);
    expect(await turns(held)).toBe(2);
    expect(await turns(free?.subject_id ?? "")).toBe(0);
    const { run_id: run } = await m.app().startRun(subject, "new", { route_id: "chat", goal: "x" });
    expect((await m.app().recallTurns(run, { query: "words" })).outcome).toBe("no_matches");
    await m.privacy().releaseHold(hold);
    await sweep(m.services);
    expect(await turns(held)).toBe(0);
  });

  it("S5-14 only who answers for privacy places, lists and releases holds", async () => {
    const subject = await person();
    expect(await refusalOf(m.app().placeHold(subject, {}))).toBe("denied");
    expect(await refusalOf(m.customer(subject).placeHold(subject, {}))).toBe("denied");
    const { hold_id: hold } = await m.privacy().placeHold(subject, {});
    expect(await refusalOf(m.operator().releaseHold(hold))).toBe("denied");
    expect(await refusalOf(m.operator().listHolds({}))).toBe("denied");
    expect(await refusalOf(m.privacy("bank-nz").releaseHold(hold))).toBe("not_found");
    expect(m.alarms).toEqual([]);
  });
});
