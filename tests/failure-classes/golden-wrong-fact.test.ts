import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { fieldBody, refusalOf, routeBody } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

const SAYS_OTHERWISE = "I never asked for calm, be brisk with me as I always said";

describeEachDatabase("golden wrong fact", (database) => {
  let bank: Bank;
  let people = 0;

  beforeAll(async () => {
    bank = await openBank(database);
    await bank.operator().putField("tone", fieldBody());
    const tools = ["upsert_preference", "escalate_run"];
    const body = routeBody({ autonomy: 1, tools, store_fields: ["tone"] });
    await bank.operator().putRoute("talk", body);
  });

  /** Somebody about whom the store is wrong, in a chat in which they say so. */
  async function contradicted() {
    const customer = `customer-${people++}`;
    await bank.start(customer, "talk");
    const filed = await bank
      .service("settings")
      .proposeField(customer, { field_id: "tone", value: "calm" });
    await bank.reviewer().promoteByHuman(filed.candidate_id, { value_hash: filed.value_hash });
    bank.clock.forward({ seconds: 1 });
    const run = await bank.say(customer, "talk", "chat", SAYS_OTHERWISE);
    return { customer, run, agent: bank.as({ id: "model", kind: "agent", run }) };
  }

  async function standing(customer: string) {
    const { fields } = await bank.app().listFields(customer);
    const { promotions } = await bank.operator().listPromotions(customer, {});
    return [fields.map(({ value, version }) => [value, version]), promotions.length];
  }

  async function storeLine(run: string) {
    const { items } = await bank.app().assemble(run, {});
    return items.filter(({ layer }) => layer === "store").map(({ text }) => text);
  }

  it("S2-31 what a run hears against the stored fact doesn't change it: the run uses what is stored", async () => {
    const { customer, run, agent } = await contradicted();
    const before = await standing(customer);
    await agent.upsertPreference(run, { field_id: "tone", value: "brisk" });
    await agent.completeStage(run, "tone", { output: "brisk", notes: ["tone is brisk now"] });
    const next = await bank.start(customer, "talk");
    expect([await storeLine(run), await storeLine(next)]).toEqual([["tone: calm"], ["tone: calm"]]);
    expect(await standing(customer)).toEqual(before);
    for (const caller of [agent, bank.app(), bank.service("evaluator")]) {
      const write = caller.setPreference(customer, "tone", { value: "brisk" });
      expect(await refusalOf(write)).toMatch(/^(?:denied|not_found)$/);
    }
    expect(await standing(customer)).toEqual(before);
  });

  it("S2-31 or it escalates with the evidence and waits for a person; the fact stays as it is meanwhile", async () => {
    const { customer, run, agent } = await contradicted();
    const before = await standing(customer);
    const { turns } = await bank.app().listTurns(run, {});
    const evidence = turns.map(({ turn_id }) => turn_id);
    await agent.escalateRun(run, { reason: "the customer denies the stored tone", evidence });
    expect(await bank.operator().readRun(run)).toMatchObject({
      state: "waiting",
      escalation: { evidence },
    });
    const blocked = agent.upsertPreference(run, { field_id: "tone", value: "brisk" });
    expect(await refusalOf(blocked)).toBe("run_waiting");
    expect(await standing(customer)).toEqual(before);
  });

  it("S2-31 the fact is corrected by a decision that stands in the log, and then each run uses the new one", async () => {
    const { customer, run, agent } = await contradicted();
    const filed = await agent.upsertPreference(run, { field_id: "tone", value: "brisk" });
    bank.clock.forward({ seconds: 1 });
    await bank.reviewer().promoteByHuman(filed.candidate_id, { value_hash: filed.value_hash });
    expect(await standing(customer)).toEqual([[["brisk", 2]], 2]);
    expect(await storeLine(run)).toEqual(["tone: brisk"]);
  });

  it("S2-32 the diagnosis of the wrong line leads to the decision that wrote it", async () => {
    const { customer, run } = await contradicted();
    const { pack_id } = await bank.app().assemble(run, {});
    const lines = async () => (await bank.operator().diagnosePack(pack_id, {})).lines;
    const [line] = (await lines()).filter(({ layer }) => layer === "store");
    expect(line).toMatchObject({
      origin: "store",
      put_by: { operation: "promote_by_human", principal_kind: "human" },
    });
    expect(line?.findings.filter(({ found }) => found)).toMatchObject([
      {
        step: "promotion_log",
        says: "field tone version 1, from settings_form, by path human, rule review",
      },
    ]);
    const { promotions } = await bank.operator().listPromotions(customer, {});
    expect(line?.source).toEqual(promotions.map(({ promotion_id }) => promotion_id));
    await bank.reviewer().revertPromotion(line?.source[0] ?? "", {});
    const [reverted] = (await lines()).filter(({ layer }) => layer === "store");
    expect(reverted?.findings[0]?.says).toContain("another value stands there since");
    expect(await storeLine(run)).toEqual([]);
  });
});
