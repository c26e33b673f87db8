import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createHttpRecord } from "../../src/compose/http-record.js";
import { describeEachDatabase } from "../setup/databases.js";
import {
  fieldBody,
  openTestMuniment,
  refusalOf,
  routeBody,
  type TestMuniment,
} from "../support/muniment.js";
import { type Record, startRecord } from "../support/record.js";

describeEachDatabase("reconcile", (database) => {
  let m: TestMuniment;
  let record: Record;
  let people = 0;

  beforeAll(async () => {
    record = await startRecord();
    const systemOfRecord = createHttpRecord({ url: record.url, token: "t", timeoutMs: 3_000 });
    m = await openTestMuniment(database, { systemOfRecord });
    const label = { type: "string", enum: ["en", "es"] };
    await m.operator().putField("pref_language", fieldBody({ value_schema: label }));
    const number = { type: "string", pattern: "^C-\\d{4}$", maxLength: 6 };
    await m
      .operator()
      .putField(
        "customer_no",
        fieldBody({ class: "identifier", value_schema: number, writers: ["system_of_record"] }),
      );
    const flag = { class: "risk_flag", value_schema: { type: "boolean" }, writers: ["billing"] };
    await m.operator().putField("vip", fieldBody(flag));
    await m.operator().putField("consent", fieldBody({ sensitive: true, value_schema: label }));
    await m.operator().putRoute("chat", routeBody());
  });
  afterAll(() => record.close());
  beforeEach(() => {
    record.misbehave = null;
    record.asked.length = 0;
  });

  async function person() {
    const subject = `person ${people++}`;
    await m.app().startRun(subject, "s", { route_id: "chat", goal: "x" });
    return subject;
  }

  const job = () => m.as({ id: "prefs_v2", roles: ["reconcile"] });
  const fields = async (subject: string) => (await m.app().listFields(subject)).fields;

  it("S2-20 what the system of record says is validated and written as the job's, once, with a row of the log", async () => {
    const subject = await person();
    record.facts.set(subject, { pref_language: "es", customer_no: "C-4471" });
    const ask = { fields: ["pref_language", "customer_no"] };
    expect((await job().promoteByReconcile(subject, ask)).fields).toMatchObject([
      { field_id: "pref_language", outcome: "written" },
      { field_id: "customer_no", outcome: "written" },
    ]);
    expect(await fields(subject)).toMatchObject([
      {
        field_id: "customer_no",
        value: "C-4471",
        updated_by: "reconcile:prefs_v2",
        source: "system_of_record",
        path: "reconcile",
      },
      { field_id: "pref_language", value: "es", updated_by: "reconcile:prefs_v2" },
    ]);
    expect(record.asked).toEqual([
      { authorization: "Bearer t", body: { tenant: "bank-au", subject, fields: ask.fields } },
    ]);
    const again = await job().promoteByReconcile(subject, ask);
    expect(again.fields.map(({ outcome }) => outcome)).toEqual(["unchanged", "unchanged"]);
    expect((await m.operator().listPromotions(subject, {})).promotions).toHaveLength(2);
  });

  it("S2-20 what the field doesn't take isn't written, and what the system doesn't know is left alone", async () => {
    const subject = await person();
    await m.customer(subject).setPreference(subject, "pref_language", { value: "en" });
    record.facts.set(subject, { pref_language: "German, please", other: "x", vip: true });
    const reply = await job().promoteByReconcile(subject, {
      fields: ["pref_language", "customer_no"],
    });
    expect(reply.fields).toEqual([
      { field_id: "pref_language", outcome: "invalid", promotion_id: null },
      { field_id: "customer_no", outcome: "unknown", promotion_id: null },
    ]);
    expect(await fields(subject)).toMatchObject([{ field_id: "pref_language", value: "en" }]);
  });

  it("S2-15 S5-12 a risk flag and a sensitive field are for people: denied before the system is asked", async () => {
    const subject = await person();
    record.facts.set(subject, { vip: true, consent: "en" });
    for (const field of ["vip", "consent"])
      expect(await refusalOf(job().promoteByReconcile(subject, { fields: [field] }))).toBe(
        "denied",
      );
    for (const role of ["app", "evaluator", "settings"])
      expect(
        await refusalOf(m.service(role).promoteByReconcile(subject, { fields: ["customer_no"] })),
      ).toBe("denied");
    expect(record.asked).toEqual([]);
    expect(await fields(subject)).toEqual([]);
  });

  it("S2-15 nobody but the system of record writes an identifier", async () => {
    const subject = await person();
    const said = { field_id: "customer_no", value: "C-0001" };
    for (const as of [m.app(), m.reviewer(), m.service("settings"), m.service("billing")])
      expect(await refusalOf(as.proposeField(subject, said))).toBe("denied");
    expect(
      await refusalOf(m.reviewer().setPreference(subject, "customer_no", { value: "C-0001" })),
    ).toBe("denied");
  });

  it.each<[string, NonNullable<Record["misbehave"]>]>([
    ["an error", (_, response) => response.writeHead(500).end("{}")],
    ["no JSON", (_, response) => response.end("<html>")],
    ["no fields", (_, response) => response.end('{"pref_language":"es"}')],
    ["a list", (_, response) => response.end('{"fields":["es"]}')],
    ["too much", (_, response) => response.end(`{"fields":{"a":"${"x".repeat(100_000)}"}}`)],
    ["another address", (_, response) => response.writeHead(302, { location: "/x" }).end()],
    ["nothing in time", () => undefined],
    ["half an answer", (_, response) => response.write('{"fields":') && response.destroy()],
  ])("S2-20 a system of record that answers with %s writes nothing", async (_what, misbehave) => {
    const subject = await person();
    record.misbehave = misbehave;
    expect(await refusalOf(job().promoteByReconcile(subject, { fields: ["pref_language"] }))).toBe(
      "unavailable",
    );
    expect(await fields(subject)).toEqual([]);
  });
});
