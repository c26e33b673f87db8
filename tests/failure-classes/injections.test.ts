import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { fieldBody, refusalOf, routeBody } from "../support/muniment.js";
import { blocksOf } from "../support/pack-samples.js";
import { REFUSED, TEXTS } from "./attacks.js";
import { type Bank, openBank } from "./bank.js";
import { type Elsewhere, FOLDER, TEXT_DOORS } from "./text-doors.js";

describeEachDatabase("injections", (database) => {
  let bank: Bank;

  beforeAll(async () => {
    bank = await openBank(database, FOLDER);
    const roomy = routeBody({ tokens_max: 200_000, reason: "room for all attacks" });
    await bank.operator().putRoute("fee_explain", roomy);
    await bank.operator().putField("tone", fieldBody());
    const tools = ["upsert_preference"];
    const loop = routeBody({ autonomy: 1, tools, store_fields: ["tone"] });
    await bank.operator().putRoute("loop", loop);
    const summing = { autonomy: 1, tools: ["recall_episodes", "append_episode"] };
    await bank
      .operator()
      .putRoute("summing", routeBody({ ...summing, recall_from: ["fee_explain"] }));
    const docs = { stages: [{ stage_id: "answer" }], autonomy: 2, tokens_max: 200_000 };
    const retrieval = { scope: ["letters"], prefetch: true, limit: 50 };
    await bank.operator().putRoute("fee_docs", routeBody({ ...docs, retrieval }));
    await bank.say("cust-ben", "fee_explain", "his", "the fees of Ben are nobody's business");
  });

  /** How many rows there are of what no text may write, and the pin of each run that there is. */
  async function standing() {
    const counts: object[] = [];
    for (const table of ["route", "subject", "field", "candidate", "field_value", "promotion"]) {
      const [there] = await bank.db.query("select to_regclass($1) is not null as yes", [
        `muniment.${table}`,
      ]);
      if (there?.yes !== true) continue;
      const [row] = await bank.db.query(`select count(*)::integer as n from muniment.${table}`);
      counts.push({ table, ...row });
    }
    const pins = "select run_id, profile_hash, route_version from muniment.run order by run_id";
    return { counts, pins: await bank.db.query(pins) };
  }

  it.each(TEXT_DOORS)(
    "S2-30 S2-03 attacks by %s write nothing to the store, and stay quotes wherever they are shown",
    async (door, knock) => {
      const session = door.replaceAll(" ", "-");
      const run = await bank.start("jane", "fee_explain", session);
      const later = await bank.start("jane", "fee_explain", `${session}-later`);
      const before = await standing();
      const elsewhere = (await knock(bank, run, session)) as Partial<Elsewhere> | undefined;
      const after = await standing();
      expect(after.counts).toEqual(before.counts);
      expect(after.pins).toEqual(expect.arrayContaining([...before.pins]));
      const ask = { query: "language fees profile SYSTEM preference admin", limit: 50 };
      for (const at of [run, later, ...(elsewhere?.shownIn ? [elsewhere.shownIn] : [])]) {
        const recall = at === elsewhere?.shownIn ? {} : { recall: ask };
        const pack = await bank.app().assemble(at, recall);
        // Text that isn't inside an escaped, labelled block of this run's mark fails in here.
        const blocks = blocksOf(pack, at.slice(-8));
        expect(blocks).toHaveLength(pack.items.length);
        for (const { attributes } of blocks) {
          expect(attributes).toMatch(
            / layer="(?:working|evidence|episodic)" source="[^"]+".* confidence="[a-z]+"/,
          );
        }
        const [first, ...others] = pack.messages;
        expect(first?.role).toBe("system");
        for (const text of TEXTS) expect(first?.content).not.toContain(text);
        expect(others.filter(({ role }) => role === "system")).toEqual([]);
        expect(pack.text).not.toContain("nobody's business");
        expect(pack.text).not.toMatch(/[\u202a-\u202e\u{e0000}-\u{e007f}]/u);
        expect(pack.text).not.toContain("\u001b");
      }
    },
  );

  it.each(REFUSED)(
    "S2-03 S1-36 what is no text, or holds a token, gets in nowhere: %j",
    async (text) => {
      const run = await bank.start("jane", "fee_explain", "broken");
      const turns = [{ role: "user", text }];
      const calls = [
        () => bank.app().appendTurns(run, { turns }),
        () => bank.app().takeTurn("jane", "broken", { turns }),
        () => bank.app().startRun("jane", "broken", { route_id: "fee_explain", goal: text }),
        () => bank.app().completeStage(run, "facts", { output: { text } }),
        () => bank.app().writeWorking(run, { failures: [text] }),
        () => bank.app().escalateRun(run, { reason: text }),
      ];
      for (const call of calls)
        expect(await refusalOf(call())).toMatch(/^(?:invalid_input|credential_in_text)$/);
    },
  );

  it("S2-30 no attack raised an alarm, and each pin is what its route said", async () => {
    expect(bank.alarms).toEqual([]);
    const found = await bank.db.query(
      "select distinct profile->>'long_term' as mode from muniment.run",
    );
    expect(found).toEqual([{ mode: "retrieve_only" }]);
  });
});
