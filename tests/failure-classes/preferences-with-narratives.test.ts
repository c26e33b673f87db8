import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { fieldBody, refusalOf } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

const STORY = "In March we spoke calm about the disputed fee of the card";

describeEachDatabase("failure class: preferences and narratives in one blob", (database) => {
  let bank: Bank;

  beforeAll(async () => {
    bank = await openBank(database);
    await bank.operator().putField("tone", fieldBody());
    await bank.say("jane", "fee_explain", "past", STORY);
    await bank.customer("jane").setPreference("jane", "tone", { value: "calm" });
  });

  it("S1-33 a question for what was said finds no preference, and the list of fields holds no story", async () => {
    const run = await bank.start("jane", "fee_explain");
    const { hits } = await bank.app().recallTurns(run, { query: "calm" });
    expect(hits.map(({ text }) => text)).toEqual([STORY]);
    const { fields } = await bank.app().listFields("jane");
    expect(fields.map(({ field_id, value }) => [field_id, value])).toEqual([["tone", "calm"]]);
  });

  it.each([
    ["free text", { type: "string" }],
    ["text with a length alone", { type: "string", maxLength: 500 }],
    ["an object of anything", { type: "object" }],
    ["a list of free text", { type: "array", items: { type: "string" }, maxItems: 5 }],
  ])("S1-33 a field for %s, where a story would fit, isn't defined", async (_, value_schema) => {
    const written = bank.operator().putField("notes", fieldBody({ value_schema }));
    expect(await refusalOf(written)).toBe("invalid_input");
  });

  it("S1-33 an old story changes no preference: each has a clock and a correction of its own", async () => {
    await bank.say("jane", "fee_explain", "today", "Be brisk, as I told you in March");
    const { fields } = await bank.app().listFields("jane");
    expect(fields).toMatchObject([{ value: "calm", source: "user" }]);
  });
});
