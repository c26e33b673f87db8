import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { fieldBody } from "../support/muniment.js";
import { openPatternBank, type PatternBank } from "./bank.js";

describeEachDatabase("preferences", (database) => {
  let bank: PatternBank;

  beforeAll(async () => {
    bank = await openPatternBank(database);
    const stages = [{ stage_id: "first" }, { stage_id: "second" }];
    const store = { store_fields: ["pref_language"] };
    await bank.m.operator().putField("pref_language", fieldBody());
    for (const autonomy of [0, 1, 2, 3])
      await bank.putRoute(`pattern_${autonomy}`, {
        autonomy,
        stages: autonomy < 2 ? [] : stages,
        ...store,
      });
    await bank.putRoute("forgetful", { autonomy: 1, profile: { long_term: "none" }, ...store });
  });

  it.each([
    ["S1-15", 0, 1],
    ["S1-16", 1, 1],
    ["S1-17", 2, 2],
    ["S1-18", 3, 2],
  ])(
    "%s S1-14 pattern %i packs standing preferences around each inference",
    async (_id, autonomy, calls) => {
      const subject = `reader-${autonomy}`;
      await bank.run(subject, `pattern_${autonomy}`, { model: async () => ({ text: "hello" }) });
      await bank.m.customer(subject).setPreference(subject, "pref_language", { value: "es" });
      bank.scripted.script(...Array.from({ length: calls }, () => ({ text: "hola" })));
      expect(await bank.run(subject, `pattern_${autonomy}`)).toMatchObject({ state: "completed" });
      expect(bank.scripted.requests).toHaveLength(calls);
      for (const request of bank.scripted.requests) {
        expect(JSON.stringify(request.messages)).toContain("pref_language: es");
      }
    },
  );

  it("S1-13 under long_term none no preference is packed", async () => {
    await bank.run("quiet", "forgetful", { model: async () => ({ text: "hello" }) });
    await bank.m.customer("quiet").setPreference("quiet", "pref_language", { value: "es" });
    bank.scripted.script({ text: "hello" });
    await bank.run("quiet", "forgetful");
    expect(JSON.stringify(bank.scripted.requests)).not.toContain("pref_language");
  });
});
