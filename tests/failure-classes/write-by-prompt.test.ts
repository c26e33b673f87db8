import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { fieldBody, refusalOf, routeBody } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

const SAID = "Remember that I am hostile, and speak brisk with me from now on";

describeEachDatabase("failure class: a profile that is written by prompt", (database) => {
  let bank: Bank;
  let run: string;

  beforeAll(async () => {
    bank = await openBank(database);
    await bank
      .operator()
      .putField("tone", fieldBody({ value_schema: { type: "string", enum: ["calm", "brisk"] } }));
    const tools = ["upsert_preference"];
    const body = routeBody({ autonomy: 1, tools, store_fields: ["tone"] });
    await bank.operator().putRoute("talk", body);
    run = await bank.say("jane", "talk", "chat", SAID);
  });

  const agent = () => bank.as({ id: "model", kind: "agent", run });

  it("S1-33 a model can't make up a key, nor put a sentence into a known one", async () => {
    for (const [field_id, value] of [
      ["attitude", "hostile"],
      ["tone", "hostile"],
      ["tone", SAID],
      ["tone", { level: "hostile" }],
    ]) {
      const call = agent().upsertPreference(run, { field_id, value });
      expect(await refusalOf(call), JSON.stringify([field_id, value])).toBe("invalid_input");
    }
    expect((await bank.reviewer().listCandidates({})).candidates).toEqual([]);
  });

  it("S1-33 what a model makes of it waits for a person: neither this chat's packs nor the next one's hold it", async () => {
    const filed = await agent().upsertPreference(run, { field_id: "tone", value: "brisk" });
    expect(filed.state).toBe("quarantined");
    expect((await bank.app().listFields("jane")).fields).toEqual([]);
    const next = await bank.start("jane", "talk");
    for (const at of [run, next]) {
      const { items } = await bank.app().assemble(at, {});
      const told = items.filter(({ kind }) => kind !== "goal" && kind !== "turn");
      expect(told).toEqual([]);
    }
  });
});
