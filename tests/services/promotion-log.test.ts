import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { refusalOf, type TestMuniment } from "../support/muniment.js";
import { openPromotions, promotionsIn } from "../support/promotions.js";

describeEachDatabase("the log of promotions", (database) => {
  let m: TestMuniment;
  const { person, standing, logOf } = promotionsIn(() => m);

  beforeAll(async () => {
    m = await openPromotions(database);
  });

  it("S2-41 a promotion is taken back by a new decision with a row of its own", async () => {
    const { subject } = await person();
    const set = (value: string | null) =>
      m.customer(subject).setPreference(subject, "pref_language", { value });
    const first = await set("en");
    const second = await set("es");
    const revert = (promotion: string) => m.reviewer().revertPromotion(promotion, {});
    expect(await refusalOf(revert(first.promotion_id))).toBe("version_conflict");
    await revert(second.promotion_id);
    expect(await standing(subject)).toMatchObject({
      value: "en",
      version: 3,
      source: "user",
      updated_by: "human:rita",
      rule: "revert",
    });
    const [latest] = await logOf(subject);
    expect(latest).toMatchObject({ reverts: second.promotion_id, path: "human", version: 3 });
    await set(null);
    expect(await standing(subject)).toBeUndefined();
    expect((await logOf(subject)).map((row) => row.version)).toEqual([4, 3, 2, 1]);
  });

  it("S2-41 what is taken back to nothing has no value any more", async () => {
    const { subject } = await person();
    const { promotion_id } = await m
      .customer(subject)
      .setPreference(subject, "pref_language", { value: "en" });
    await m.reviewer().revertPromotion(promotion_id, {});
    expect(await standing(subject)).toBeUndefined();
    expect(await logOf(subject)).toHaveLength(2);
  });

  it("S2-22 without a row of the log, or with another hash, no value can be written", async () => {
    const { subject } = await person();
    m.clock.forward({ seconds: 1 });
    await m.customer(subject).setPreference(subject, "pref_language", { value: "en" });
    const copy = (hash: string, promotion: string) =>
      m.db.query(
        `insert into muniment.field_value
         select tenant_id, subject_id, workspace_id, field_id, session_key, version + 1, ${promotion}, candidate_id,
           definition_version, value_sealed, ${hash}, removed, source, run_id, updated_at, expires_at
         from muniment.field_value order by updated_at desc limit 1`,
      );
    await expect(copy("value_hash", "gen_random_uuid()")).rejects.toThrow(/promotion_fk/);
    await expect(copy("'\\x00'::bytea", "promotion_id")).rejects.toThrow(/promotion_fk/);
  });

  it("S2-22 the application's role can neither change nor remove a row of the log", async () => {
    for (const text of [
      "update muniment.promotion set rule = 'x'",
      "delete from muniment.promotion",
      "update muniment.field_value set source = 'user'",
    ]) {
      await m.db.query("begin");
      await m.db.query("set local role muniment_app");
      await expect(m.db.query(text)).rejects.toThrow(/permission denied/);
      await m.db.query("rollback");
    }
  });

  it("S2-22 a row of the log that was changed in the database shows no value", async () => {
    const { subject } = await person();
    const { promotion_id } = await m
      .customer(subject)
      .setPreference(subject, "pref_language", { value: "en" });
    await m.db.query("update muniment.promotion set rule = 'review' where promotion_id = $1", [
      promotion_id,
    ]);
    expect(await standing(subject)).toBeUndefined();
  });
});
