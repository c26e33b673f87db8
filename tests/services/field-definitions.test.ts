import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { LANGUAGE, openFieldStore, peopleIn } from "../support/field-store.js";
import { fieldBody, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { refusedWith } from "../support/refusal.js";

describeEachDatabase("definitions of fields", (database) => {
  let m: TestMuniment;
  const { newName, person, texts } = peopleIn(() => m);

  beforeAll(async () => {
    m = await openFieldStore(database);
  });

  it("S2-12 a field is read back with class, type, writers and owner, by version", async () => {
    const id = newName();
    await m.operator().putField(id, fieldBody());
    await m.operator().putField(id, fieldBody({ owner: "cards", reason: "moved" }));
    expect(await m.app().readField(id, {})).toMatchObject({
      field: { ...fieldBody({ owner: "cards" }), field_id: id, version: 2, sensitive: false },
      reason: "moved",
    });
    expect((await m.app().readField(id, { version: 1 })).field.owner).toBe("service desk");
    expect(await m.operator().putField(id, fieldBody({ owner: "cards" }))).toMatchObject({
      changed: false,
      version: 2,
    });
    expect(
      await refusedWith(m.operator().putField(id, fieldBody({ owner: "loans" }))),
    ).toMatchObject({ field: "reason" });
  });

  it.each([
    ["no string form", { type: "string" }],
    ["a length alone", { type: "string", maxLength: 64 }],
    ["an open pattern", { type: "string", pattern: "^.*$", maxLength: 64 }],
    ["words in a row", { type: "string", pattern: "^[A-Za-z]{1,20} {0,9}$", maxLength: 64 }],
    ["a class with a space", { type: "string", pattern: "^[a-z ]{1,60}$", maxLength: 64 }],
    ["a pattern without ends", { type: "string", pattern: "[a-z]{1,5}", maxLength: 5 }],
    ["a repeated group", { type: "string", pattern: "^(a{1,9}){1,9}$", maxLength: 64 }],
    ["more than its length", { type: "string", pattern: "^[a-z]{1,64}$", maxLength: 10 }],
    ["a long text", { type: "string", pattern: "^[a-z]{1,500}$", maxLength: 500 }],
    ["an unbounded number", { type: "number" }],
    ["half a bound", { type: "integer", minimum: 0 }],
    ["an object", { type: "object", properties: { note: { type: "string" } } }],
    ["a list of anything", { type: "array", items: {}, maxItems: 3 }],
    ["a list without end", { type: "array", items: LANGUAGE }],
    ["a reference", { $ref: "#/free" }],
    ["nothing", {}],
  ])("S2-13 a blob of free text is no field: %s", async (_what, value_schema) => {
    const refusal = await refusedWith(
      m.operator().putField(newName(), fieldBody({ value_schema })),
    );
    expect(refusal.kind).toBe("invalid_input");
    expect(refusal.field).toMatch(/^value_schema/);
  });

  it.each(["edited_by_human", "wrong_value_repeats", "writer_and_audit_named"])(
    "S2-14 a field whose `%s` is answered with no, or not at all, is none",
    async (question) => {
      for (const answer of [false, undefined, "yes"]) {
        const answers = { ...fieldBody().answers, [question]: answer };
        const refusal = await refusedWith(m.operator().putField(newName(), fieldBody({ answers })));
        expect(refusal).toMatchObject({ kind: "invalid_input", field: `answers.${question}` });
      }
      expect(
        await refusalOf(m.operator().putField(newName(), fieldBody({ answers: undefined }))),
      ).toBe("invalid_input");
      for (const nobody of [{ owner: "" }, { writers: [] }])
        expect(await refusalOf(m.operator().putField(newName(), fieldBody(nobody)))).toBe(
          "invalid_input",
        );
    },
  );

  it("S2-15 a definition names the writers that its class takes, and no other", async () => {
    for (const [change, verdict] of [
      [{ class: "identifier", writers: ["system_of_record"] }, "written"],
      [{ class: "identifier", writers: ["system_of_record", "user"] }, "denied"],
      [{ class: "risk_flag", writers: ["user"] }, "denied"],
      [{ class: "budget", writers: ["human_agent"] }, "denied"],
      [{ class: "policy_pointer", writers: ["release"] }, "written"],
    ] as const) {
      const put = m.operator().putField(newName(), fieldBody(change));
      if (verdict === "denied") expect(await refusalOf(put)).toBe("denied");
      else expect(await put).toMatchObject({ changed: true });
    }
  });

  it.each([
    [newName, { field_id: undefined, description: "Whether the KYC check was passed" }],
    [() => "kyc_status", {}],
    [() => "identity_verified", {}],
    [newName, { value_schema: { type: "string", enum: ["kyc_passed", "kyc_failed"] } }],
  ])("S1-40 a know-your-customer decision is no field, under no name", async (id, change) => {
    const put = m.operator().putField(id(), fieldBody(change));
    if ("value_schema" in change) {
      const { field_id } = await put;
      const { subject } = await person();
      const set = m.reviewer().setPreference(subject, field_id, { value: "kyc_passed" });
      expect(await refusedWith(set)).toMatchObject({ kind: "invalid_input", field: "value" });
    } else expect(await refusalOf(put)).toBe("invalid_input");
  });

  it("S1-36 a credential is refused in a definition", async () => {
    const description = "password=hunter2hunter2";
    expect(await refusalOf(m.operator().putField(newName(), fieldBody({ description })))).toBe(
      "credential_in_text",
    );
  });

  it("S2-12 who defines a field at the same moment as others is told their version where they say the same", async () => {
    const id = newName();
    const define = (owner: string) => m.operator().putField(id, fieldBody({ owner }));
    const same = await Promise.all(Array.from({ length: 8 }, () => define("cards")));
    expect(same.map(({ version }) => version)).toEqual(same.map(() => 1));
    expect(same.filter(({ changed }) => changed)).toHaveLength(1);
  });

  it("S2-12 a value that its field wouldn't take any more is shown to no model", async () => {
    const id = newName();
    await m.operator().putField(id, fieldBody({ value_schema: LANGUAGE }));
    const route = `route_${id}`;
    await m.operator().putRoute(route, routeBody({ store_fields: [id] }));
    const { subject, run } = await person(route);
    await m.customer(subject).setPreference(subject, id, { value: "fr" });
    expect(await texts(run)).toEqual([`${id}: fr`]);
    const narrower = { type: "string", enum: ["en"] };
    await m.operator().putField(id, fieldBody({ value_schema: narrower, reason: "English alone" }));
    const pack = await m.app().assemble(run, {});
    expect(pack.items.filter((item) => item.layer === "store")).toEqual([]);
    expect(pack.left_out).toContainEqual(expect.objectContaining({ why: "outgrown" }));
    expect((await m.app().listFields(subject)).fields).toMatchObject([{ fits: false }]);
  });

  it("S2-18 a candidate of a definition that changed since is decided on no more", async () => {
    const id = newName();
    await m.operator().putField(id, fieldBody({ value_schema: LANGUAGE }));
    const { subject } = await person();
    const filed = await m.service("settings").proposeField(subject, { field_id: id, value: "fr" });
    await m.operator().putField(id, fieldBody({ sensitive: true, reason: "more care" }));
    expect(
      await refusedWith(
        m.reviewer().promoteByHuman(filed.candidate_id, { value_hash: filed.value_hash }),
      ),
    ).toMatchObject({ kind: "version_conflict", message: expect.stringContaining("anew") });
  });
});
