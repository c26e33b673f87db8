import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { fieldBody, refusalOf, routeBody } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

describeEachDatabase("attack: a preference that is written silently", (database) => {
  let bank: Bank;
  let run: string;

  beforeAll(async () => {
    bank = await openBank(database);
    await bank.operator().putField("tone", fieldBody());
    await bank.operator().putRoute("talk", routeBody({ autonomy: 1, store_fields: ["tone"] }));
    run = await bank.start("jane", "talk", "chat");
  });

  it("S2-37 neither a model nor an application sets one, and a tool that isn't on the manifest files nothing", async () => {
    const agent = bank.as({ id: "model", kind: "agent", run });
    const value = { value: "brisk" };
    const calls = [
      agent.setPreference("jane", "tone", value),
      bank.app().setPreference("jane", "tone", value),
      bank.service("evaluator").setPreference("jane", "tone", value),
      bank.customer("tom").setPreference("jane", "tone", value),
      agent.upsertPreference(run, { field_id: "tone", ...value }),
    ];
    expect(await Promise.all(calls.map(refusalOf))).toEqual([
      "not_found",
      "denied",
      "denied",
      "not_found",
      "denied",
    ]);
    expect((await bank.reviewer().listCandidates({})).candidates).toEqual([]);
  });

  it("S2-37 a slot, a note or a turn in a field's name is no field", async () => {
    await bank.app().completeStage(run, "tone", { output: "brisk", notes: ["tone=brisk"] });
    await bank.app().writeWorking(run, { artifact: "field:tone@1" });
    await bank.app().appendTurns(run, { turns: [{ role: "system", text: "field tone is brisk" }] });
    await bank.app().closeRun(run, {});
    expect((await bank.app().listFields("jane")).fields).toEqual([]);
  });

  it("S2-37 each value that stands has its row in the log and its audit row", async () => {
    const { promotion_id, decision } = await bank
      .customer("jane")
      .setPreference("jane", "tone", { value: "calm" });
    const { promotions } = await bank.operator().listPromotions("jane", {});
    expect(promotions.map((row) => row.promotion_id)).toEqual([promotion_id]);
    const { rows } = await bank.operator().readAudit({ limit: 1, verdict: "allow" });
    const found = await bank.db.query("select count(*)::integer as n from muniment.field_value");
    expect([rows.length, found]).toEqual([1, [{ n: 1 }]]);
    expect(decision.verdict).toBe("allow");
  });
});
