import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { refusalOf, type TestMuniment } from "../support/muniment.js";
import { openPromotions, promotionsIn } from "../support/promotions.js";
import { refusedWith } from "../support/refusal.js";

describeEachDatabase("promotion", (database) => {
  let m: TestMuniment;
  const { person, standing, logOf, propose } = promotionsIn(() => m);

  beforeAll(async () => {
    m = await openPromotions(database);
  });

  it("S2-18 S2-22 a person approves a candidate: the value stands with its source, and the log says who, what, why and when", async () => {
    const { subject, run } = await person();
    const filed = await m.app().upsertPreference(run, { field_id: "pref_language", value: "es" });
    expect(filed).toMatchObject({ state: "quarantined", filed: true });
    expect(await standing(subject)).toBeUndefined();
    const { promotion_id } = await m
      .reviewer()
      .promoteByHuman(filed.candidate_id, { value_hash: filed.value_hash });
    expect(await standing(subject)).toMatchObject({
      value: "es",
      version: 1,
      class: "preference",
      key: "customer",
      source: "model",
      updated_by: "human:rita",
      updated_at: m.clock.now().toISOString(),
      promotion_id,
    });
    const [row] = await logOf(subject);
    expect(row).toMatchObject({
      promotion_id,
      field_id: "pref_language",
      old_hash: null,
      new_hash: filed.value_hash,
      source: "model",
      actor: "human:rita",
      path: "human",
      rule: "review",
      run_id: run,
      candidate_id: filed.candidate_id,
      policy_ids: ["reviewer_decides"],
      recorded_at: m.clock.now().toISOString(),
    });
    expect(row?.tenant_id).toMatch(/^[0-9a-f-]{36}$/);
    const [audited] = (await m.operator().readAudit({ limit: 200 })).rows.filter(
      (it) => (it as { operation: string }).operation === "promote_by_human",
    );
    expect(audited).toMatchObject({
      pep_verdict: "allow",
      memory_writes: expect.arrayContaining([{ kind: "promotion", ids: [promotion_id] }]),
    });
  });

  it("S2-35 S2-21 a model's call files a candidate, however often, and whoever relays it: the field stays as it is", async () => {
    const { subject, run } = await person();
    const agent = m.as({ id: "agent", kind: "agent", subject, session: "main", run });
    const said = { field_id: "pref_language", value: "fr" };
    const first = await agent.upsertPreference(run, said);
    const again = await m.app().upsertPreference(run, said);
    expect(again).toMatchObject({ candidate_id: first.candidate_id, filed: false });
    expect(await standing(subject)).toBeUndefined();
    expect(await logOf(subject)).toEqual([]);
    const { candidates } = await m.reviewer().listCandidates({});
    expect(candidates.filter((it) => it.subject === subject)).toEqual([
      expect.objectContaining({
        value: "fr",
        origin: "model",
        state: "quarantined",
        run_id: run,
        run_state: "active",
        proposed_by: "agent:agent",
      }),
    ]);
  });

  it("S1-23 an unknown key, a value of another type and free text are refused", async () => {
    const { run } = await person();
    const call = (body: object) => refusedWith(m.app().upsertPreference(run, body));
    expect(await call({ field_id: "pref_colour", value: "blue" })).toMatchObject({
      kind: "invalid_input",
      field: "field_id",
    });
    for (const value of ["German, please", 7, null, { language: "es" }, ["es"], "ES"]) {
      if (value === null) continue;
      const refusal = await call({ field_id: "pref_language", value });
      expect(refusal).toMatchObject({ kind: "invalid_input", field: "value" });
      expect(refusal.message).not.toContain("German");
    }
    for (const more of [
      { origin: "user" },
      { source: "settings_form" },
      { updated_by: "human:rita" },
      { state: "promoted" },
    ])
      expect(await call({ field_id: "pref_language", value: "es", ...more })).toMatchObject({
        kind: "invalid_input",
        field: Object.keys(more)[0],
      });
    expect(
      await call({ field_id: "pref_language", value: "es", subject_id: "cust-tom" }),
    ).toMatchObject({ kind: "scope_in_input" });
  });

  it("S2-19 an evaluator's verdict promotes what a form says, by the field's own criterion, and nothing that a model says", async () => {
    const { subject, run } = await person();
    const evaluator = m.service("evaluator");
    const filed = await propose(subject, "es");
    const body = { value_hash: filed.value_hash, criterion: "pref_extraction" };
    expect(
      await refusalOf(
        evaluator.promoteByEvaluator(filed.candidate_id, { ...body, criterion: "tone" }),
      ),
    ).toBe("denied");
    await evaluator.promoteByEvaluator(filed.candidate_id, body);
    expect(await standing(subject)).toMatchObject({
      value: "es",
      source: "settings_form",
      updated_by: "evaluator:evaluator",
      path: "evaluator",
      rule: "pref_extraction",
    });
    const guess = await m.app().upsertPreference(run, { field_id: "pref_language", value: "fr" });
    expect(
      await refusalOf(
        evaluator.promoteByEvaluator(guess.candidate_id, {
          value_hash: guess.value_hash,
          criterion: "pref_extraction",
        }),
      ),
    ).toBe("denied");
    expect(await standing(subject)).toMatchObject({ value: "es", version: 1 });
  });

  it("S2-18 INJ-40 a decision counts for the value that was seen alone", async () => {
    const { subject } = await person();
    const es = await propose(subject, "es");
    const en = await propose(subject, "en");
    const approve = (candidate: string, hash: string) =>
      m.reviewer().promoteByHuman(candidate, { value_hash: hash });
    expect(await refusalOf(approve(en.candidate_id, es.value_hash))).toBe("version_conflict");
    await m.db.query(
      `update muniment.candidate c set value_sealed = o.value_sealed from muniment.candidate o
       where c.candidate_id = $1 and o.candidate_id = $2`,
      [es.candidate_id, en.candidate_id],
    );
    const alarms = m.alarms.length;
    await approve(es.candidate_id, es.value_hash);
    expect(await standing(subject)).toBeUndefined();
    expect(m.alarms.length).toBeGreaterThan(alarms);
  });

  it("S2-18 a reviewer's decision on a value that changed since is refused", async () => {
    const { subject } = await person();
    const filed = await propose(subject, "es");
    await m.customer(subject).setPreference(subject, "pref_language", { value: "en" });
    const decide = (expected_version: number) =>
      m
        .reviewer()
        .promoteByHuman(filed.candidate_id, { value_hash: filed.value_hash, expected_version });
    expect(await refusalOf(decide(0))).toBe("version_conflict");
    expect(await standing(subject)).toMatchObject({ value: "en" });
    await decide(1);
    expect(await standing(subject)).toMatchObject({ value: "es", version: 2 });
  });

  it("S2-18 of two who decide at the same moment one writes", async () => {
    const { subject } = await person();
    const filed = await propose(subject, "es");
    const decide = (who: string) =>
      m.reviewer(who).promoteByHuman(filed.candidate_id, { value_hash: filed.value_hash });
    const done = await Promise.allSettled(["rita", "rolf", "rosa", "ruth"].map(decide));
    expect(done.filter((it) => it.status === "fulfilled")).toHaveLength(1);
    for (const it of done)
      if (it.status === "rejected") expect(it.reason).toMatchObject({ kind: "version_conflict" });
    expect(await logOf(subject)).toHaveLength(1);
    expect(await standing(subject)).toMatchObject({ version: 1 });
  });

  it("S5-05 a risk flag needs two different people, and neither a ticket nor a model proposes one", async () => {
    const { subject, run } = await person();
    expect(await refusalOf(m.app().upsertPreference(run, { field_id: "vip", value: true }))).toBe(
      "denied",
    );
    expect(await refusalOf(propose(subject, true, "app", "vip"))).toBe("denied");
    expect(
      await refusalOf(m.customer(subject).setPreference(subject, "vip", { value: true })),
    ).toBe("denied");
    const filed = await propose(subject, true, "billing", "vip");
    const approve = (who: string) =>
      m.reviewer(who).promoteByHuman(filed.candidate_id, { value_hash: filed.value_hash });
    expect(await approve("rita")).toMatchObject({ state: "approved", promotion_id: null });
    expect(await standing(subject, "vip")).toBeUndefined();
    expect(await refusalOf(approve("rita"))).toBe("denied");
    expect(await standing(subject, "vip")).toBeUndefined();
    expect(await approve("rolf")).toMatchObject({ state: "promoted" });
    expect(await standing(subject, "vip")).toMatchObject({ value: true, source: "billing" });
    const [row] = await logOf(subject);
    expect(row?.approver_ref).not.toBe(row?.actor_ref);
    expect(row?.approver_ref).not.toBeNull();
  });

  it("S2-18 S2-15 a setting that is saved before the first chat stands in it, and a form waits for its decision", async () => {
    const [saver, served, former] = ["early 1", "early 2", "early 3"];
    await m.customer(saver).setPreference(saver, "pref_language", { value: "es" });
    await m.reviewer().setPreference(served, "pref_language", { value: "fr" });
    const filed = await propose(former, "en");
    for (const subject of [saver, served, former])
      await m.app().startRun(subject, "main", { route_id: "chat", goal: "Talk" });
    expect(await standing(saver)).toMatchObject({ value: "es", updated_by: "user" });
    expect(await standing(served)).toMatchObject({ value: "fr", updated_by: "human:rita" });
    expect(await standing(former)).toBeUndefined();
    await m.reviewer().promoteByHuman(filed.candidate_id, { value_hash: filed.value_hash });
    expect(await standing(former)).toMatchObject({ value: "en" });
  });

  it("S2-18 S5-12 what is refused, takes back or expects a value makes nobody", async () => {
    const count = () => m.db.query("select count(*) from muniment.subject");
    const before = await count();
    const set = (who: typeof m.app, body: object) =>
      refusalOf(who().setPreference("unheard of", "pref_language", body as { value: string }));
    expect(await set(m.app, { value: "es" })).toBe("denied");
    expect(await set(m.reviewer, { value: "German" })).toBe("invalid_input");
    expect(await set(m.reviewer, { value: null })).toBe("not_found");
    expect(await set(m.reviewer, { value: "es", expected_version: 1 })).toBe("not_found");
    expect(await refusalOf(propose("unheard of", "German"))).toBe("invalid_input");
    expect(await refusalOf(propose("unheard of", "es", "reader"))).toBe("denied");
    expect(await count()).toEqual(before);
  });

  it("S2-18 a rejected candidate writes nothing and isn't decided on again", async () => {
    const { subject } = await person();
    const filed = await propose(subject, "es");
    const seen = { value_hash: filed.value_hash };
    await m.reviewer().rejectCandidate(filed.candidate_id, seen);
    expect(await refusalOf(m.reviewer().promoteByHuman(filed.candidate_id, seen))).toBe(
      "version_conflict",
    );
    expect(await standing(subject)).toBeUndefined();
    expect(await propose(subject, "es")).toMatchObject({ filed: true });
  });

  it("S2-16 a customer key is deleted explicitly, with a row of the log", async () => {
    const { subject } = await person();
    await m.customer(subject).setPreference(subject, "pref_language", { value: "en" });
    m.clock.forward({ hours: 24 * 400 });
    expect(await standing(subject)).toMatchObject({ value: "en", expires_at: null });
    const { promotion_id } = await m.reviewer().deleteField(subject, "pref_language", {});
    expect(await standing(subject)).toBeUndefined();
    expect((await logOf(subject))[0]).toMatchObject({ promotion_id, rule: "delete" });
    expect(await refusalOf(m.reviewer().deleteField(subject, "pref_language", {}))).toBe(
      "not_found",
    );
  });
});
