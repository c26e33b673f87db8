import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { refusalOf } from "../support/muniment.js";
import { type Bank, openBank } from "./bank.js";

const SESSIONS = 24;

describeEachDatabase("failure class: all that was ever said in one prompt", (database) => {
  let bank: Bank;

  beforeAll(async () => {
    bank = await openBank(database);
    const rows = Array.from({ length: SESSIONS }, (_, n) => ({
      session: `past-${n}`,
      source_id: `p${n}`,
      text: `Past matter number ${n} about a fee`,
      observed_at: "2025-05-01T00:00:00Z",
    }));
    await bank.app().importTurns("jane", { route_id: "fee_explain", rows });
  });

  it("S1-33 permission to recall puts nothing into a pack by itself", async () => {
    const run = await bank.start("jane", "fee_explain");
    const pack = await bank.app().assemble(run, {});
    expect(pack.items.map(({ kind }) => kind)).toEqual(["goal"]);
    expect(pack.text).not.toContain("Past matter");
  });

  it("S1-33 everything at once is denied, however it is asked for", async () => {
    const run = await bank.start("jane", "fee_explain");
    const all = { query: "fee", all_routes: true };
    expect(await refusalOf(bank.app().recallTurns(run, all))).toBe("denied");
    expect(await refusalOf(bank.app().assemble(run, { recall: all }))).toBe("denied");
    const many = { query: "fee", limit: 1_000 };
    expect(await refusalOf(bank.app().recallTurns(run, many))).toBe("invalid_input");
    expect(await refusalOf(bank.app().assemble(run, { tokens_max: 900_000 }))).toBe(
      "invalid_input",
    );
  });

  it("S1-33 what a question finds comes capped, each line with its source, and the audit row names each", async () => {
    const run = await bank.start("jane", "fee_explain");
    const pack = await bank.app().assemble(run, { recall: { query: "fee", limit: 5 } });
    const recalled = pack.items.filter(({ kind }) => kind === "recalled");
    expect(recalled).toHaveLength(5);
    expect(pack.tokens).toBeLessThanOrEqual(pack.tokens_max);
    const ids = recalled.flatMap(({ source }) => source);
    const { rows } = await bank.operator().readAudit({ run, limit: 1 });
    const [row] = rows as readonly { memory_reads: { kind: string; ids: string[] }[] }[];
    const read = row?.memory_reads.filter(({ kind }) => kind === "recalled");
    expect(read?.flatMap((one) => one.ids).toSorted()).toEqual(ids.toSorted());
  });
});
