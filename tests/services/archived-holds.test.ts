import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { type Line, linesOf, prepareTenant } from "../support/archived-person.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

describeEachDatabase("holds of an archive", (database) => {
  let m: TestMuniment;
  let jane: readonly Line[];

  beforeAll(async () => {
    m = await openTestMuniment(database);
    for (const tenant of ["bank-au", "bank-nz"]) {
      await prepareTenant(m, tenant);
      await m.operator(tenant).putRoute("talk", routeBody());
    }
    const { run_id: run } = await m
      .app()
      .startRun("jane", "main", { route_id: "talk", goal: "talk" });
    const { turn_ids: turns } = await m
      .app()
      .appendTurns(run, { turns: [{ role: "user", text: "the fee of May" }] });
    await m.privacy().placeHold("jane", { covers: "turn", target: turns[0] ?? "" });
    await m.privacy().placeHold("jane", {});
    jane = await linesOf(m.privacy().exportSubject("jane"));
  });

  const held = () => jane.filter(({ kind }) => kind === "hold");
  const bringIn = (lines: readonly Line[]) =>
    m.privacy("bank-nz").importSubject("jane", {
      subject: jane.find(({ kind }) => kind === "subject") ?? {},
      lines: lines.filter(({ kind }) => !["manifest", "subject", "trailer"].includes(kind)),
    });
  const ledger = async () => {
    const { tenantId } = await m.services.directory.tenant("bank-nz");
    return await m.services.keyring.ledger.read(tenantId, 0, 100);
  };
  const standing = async () => (await m.privacy("bank-nz").listHolds({})).holds;

  it("S5-08 an archive places no hold of what isn't its person's, and none of it gets into the ledger", async () => {
    const id = "00000000-0000-4000-8000-000000000001";
    const forged: readonly Line[] = held().map((line) => ({ ...line, target: id }));
    const { lines } = await bringIn(forged);
    expect(lines.map(({ status, reason, refusal }) => [status, reason ?? refusal?.field])).toEqual(
      forged.map(({ scope }) =>
        scope === "subject" ? ["refused", "target"] : ["skipped", "parent_missing"],
      ),
    );
    expect(lines).toHaveLength(2);
    expect(await standing()).toEqual([]);
    expect(await ledger()).toEqual([]);
  });

  it("S5-08 a hold that comes by an archive stands in the ledger as one that was placed here, once, until its release", async () => {
    const { refused, skipped } = await bringIn(jane);
    expect([refused, skipped]).toEqual([0, 0]);
    const holds = await standing();
    expect(holds.map(({ covers }) => covers).toSorted()).toEqual(["subject", "turn"]);
    const lineOf = ({ hold_id, covers, target, placed_at }: (typeof holds)[number]) => ({
      step: "hold",
      erasureId: hold_id,
      scope: covers,
      target,
      at: new Date(placed_at),
    });
    const byId = (left: { erasureId: string }, right: { erasureId: string }) =>
      left.erasureId < right.erasureId ? -1 : 1;
    expect([...(await ledger())].toSorted(byId)).toMatchObject(holds.map(lineOf).toSorted(byId));
    const [head] = await m.db.query<{ seq: number }>(
      "select h.seq::int as seq from muniment.ledger_head h join muniment.tenant t using (tenant_id) where t.name = 'bank-nz'",
    );
    expect(head?.seq).toBe(2);
    await bringIn(jane);
    expect(await ledger()).toHaveLength(2);
    expect(await refusalOf(m.privacy("bank-nz").eraseSubject("jane", {}))).toBe("on_hold");
    for (const { hold_id: hold } of holds) await m.privacy("bank-nz").releaseHold(hold);
    await bringIn(jane);
    expect(await standing()).toEqual([]);
    expect((await ledger()).map(({ step }) => step)).toEqual([
      "hold",
      "hold",
      "release",
      "release",
    ]);
  });
});
