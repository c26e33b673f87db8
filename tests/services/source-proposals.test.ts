import { beforeAll, expect, it } from "vitest";
import { createServices } from "../../src/compose/open.js";
import { trustedId } from "../../src/domain/ids.js";
import { replayLedger } from "../../src/services/replay-ledger.js";
import { describeEachDatabase } from "../setup/databases.js";
import { fieldBody, openTestMuniment, refusalOf, type TestMuniment } from "../support/muniment.js";

describeEachDatabase("proposals of a source that is forgotten", (database) => {
  let m: TestMuniment;
  let names = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    for (const field of ["pref_word", "pref_other"])
      await m.operator().putField(field, fieldBody());
  });

  const propose = (subject: string, value: string, source_id: string, field_id = "pref_word") =>
    m.service("settings").proposeField(subject, { field_id, value, source_id });
  const approve = async (subject: string, value: string, source: string) => {
    const { candidate_id: candidate, value_hash } = await propose(subject, value, source);
    await m.reviewer().promoteByHuman(candidate, { value_hash });
  };
  const valuesOf = async (subject: string) =>
    (await m.app().listFields(subject)).fields.map(({ value }) => value);
  const waiting = async () =>
    (await m.reviewer().listCandidates({})).candidates.map(({ candidate_id }) => candidate_id);
  const ledger = async () => {
    const { tenantId } = await m.services.directory.tenant("bank-au");
    return { tenantId, lines: await m.services.keyring.ledger.read(tenantId, 0, 500) };
  };

  it("S5-10 S5-08 a source is withdrawn with what it proposed, waiting and approved, and proposes nothing again", async () => {
    const subject = `person-${names++}`;
    await approve(subject, "one", "crm-17");
    const own = await propose(subject, "two", "crm-17", "pref_other");
    const other = await propose(subject, "three", "crm-18", "pref_other");
    const retract = { target: "crm-17", reason: "retract" } as const;
    const receipt = await m.privacy().eraseScope(subject, "source", retract);
    expect(receipt).toMatchObject({ scope: "source", reason: "retract" });
    expect(await valuesOf(subject)).toEqual([]);
    expect(await waiting()).not.toContain(own.candidate_id);
    expect(await waiting()).toContain(other.candidate_id);
    expect(await refusalOf(propose(subject, "one", "crm-17"))).toBe("erased");
    expect(await refusalOf(propose(subject, "new", "crm-17", "pref_other"))).toBe("erased");
    expect((await propose(subject, "one", "crm-19")).filed).toBe(true);
    const again = await m.privacy().eraseScope(subject, "source", retract);
    expect(again.erasure_id).toBe(receipt.erasure_id);
    const unknown = m.privacy().eraseScope(subject, "source", { target: "crm-20" });
    expect(await refusalOf(unknown)).toBe("not_found");
    const correct = { target: "crm-18", reason: "correct", text: "four" } as const;
    const corrected = m.privacy().eraseScope(subject, "source", correct);
    expect(await refusalOf(corrected)).toBe("invalid_input");
  });

  it("S5-08 a source that is named by our own id goes with what it proposed too", async () => {
    const subject = `person-${names++}`;
    const effective_at = "2026-02-01T07:00:00Z";
    const record = {
      source: "ehr",
      source_id: "a",
      source_revision: 1,
      key: "allergy",
      value: "x",
    };
    const events = [{ ...record, kind: "report" as const, effective_at }];
    await m.service("connector").recordEvents(subject, { events });
    const own = await propose(subject, "two", "ehr/a");
    const [row] = await m.db.query<{ source_id: string }>(
      "select source_id from muniment.event order by recorded_at desc, event_id desc limit 1",
    );
    await m.privacy().eraseScope(subject, "source", { target: row?.source_id ?? "" });
    expect(await waiting()).not.toContain(own.candidate_id);
    expect(await refusalOf(propose(subject, "two", "ehr/a"))).toBe("erased");
  });

  it("S5-08 a field that was erased isn't proposed again by the source that did, and may be by others", async () => {
    const subject = `person-${names++}`;
    await approve(subject, "one", "crm-17");
    await m.privacy().eraseScope(subject, "field", { target: "pref_word" });
    expect(await refusalOf(propose(subject, "one", "crm-17"))).toBe("erased");
    expect((await propose(subject, "one", "crm-18")).filed).toBe(true);
    expect((await propose(subject, "one", "crm-17", "pref_other")).filed).toBe(true);
  });

  it("S5-09 what a withdrawn source had proposed, and a restored database has again, goes at the next start", async () => {
    const subject = `person-${names++}`;
    const own = await propose(subject, "two", "crm-17", "pref_other");
    const other = await propose(subject, "three", "crm-18");
    await m.privacy().eraseScope(subject, "source", { target: "crm-17", reason: "retract" });
    const { tenantId, lines } = await ledger();
    const intent = lines.findLast(({ step }) => step === "intent");
    if (intent === undefined) throw new Error("no intent");
    // As if the database were from before.
    await m.db.query("delete from muniment.tombstone");
    const { filed, candidate_id: back } = await propose(subject, "two", "crm-17", "pref_other");
    expect([filed, back]).toEqual([true, own.candidate_id]);
    const erasureId = trustedId<"ErasureId">(crypto.randomUUID());
    await m.services.keyring.ledger.append(tenantId, [{ ...intent, erasureId }]);
    const { store, keyring, clock } = m.services;
    await replayLedger(createServices({ store, keyring, clock, onAlarm: () => undefined }));
    expect(await waiting()).not.toContain(back);
    expect(await waiting()).toContain(other.candidate_id);
    expect(await refusalOf(propose(subject, "two", "crm-17", "pref_other"))).toBe("erased");
  });
});
