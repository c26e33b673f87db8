import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { runsIn, said } from "../support/full-run.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

describeEachDatabase("stored packs", (database) => {
  let m: TestMuniment;
  const { start, full } = runsIn(() => m);

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody({ tokens_max: 8_000 }));
  });

  it("S1-29 a pack is made anew for each turn and kept as references with its tokens and verdict, without text", async () => {
    const { run } = await full();
    const first = await m.app().assemble(run, {});
    await m.app().appendTurns(run, { turns: [said("something new")] });
    const second = await m.app().assemble(run, {});
    expect(second.pack_id).not.toBe(first.pack_id);
    expect(second.items.length).toBe(first.items.length + 1);
    const [stored] = await m.db.query<{ all: string; tokens: number }>(
      "select p::text as all, tokens from muniment.pack p where pack_id = $1",
      [second.pack_id],
    );
    expect(stored?.tokens).toBe(second.tokens);
    for (const item of second.items) expect(stored?.all).not.toContain(item.text);
    const { rows } = await m.operator().readAudit({ run, limit: 1 });
    expect(rows[0]).toMatchObject({
      operation: "assemble",
      pep_verdict: "allow",
      memory_pack_id: second.pack_id,
      prompt_memory_tokens: second.tokens,
    });
    const next = await start();
    expect(JSON.stringify(await m.app().assemble(next.run, {}))).not.toContain("something new");
  });

  it("S1-29 explain says for each candidate why it is in or out, in words, and holds no text", async () => {
    const { run } = await full();
    await m.app().appendTurns(run, {
      turns: Array.from({ length: 10 }, (_, n) => said(`turn ${n} ${"tea ".repeat(30)}`)),
    });
    const whole = await m.app().assemble(run, {});
    const pack = await m.app().assemble(run, { tokens_max: Math.floor(whole.tokens / 2) });
    const told = await m.app().explainPack(pack.pack_id);
    expect(told).toMatchObject({
      run_id: run,
      tokens: pack.tokens,
      tokens_max: pack.tokens_max,
      valid: true,
      outdated: false,
    });
    expect(told.entries.filter((entry) => entry.in)).toHaveLength(pack.items.length);
    expect(told.entries.filter((entry) => !entry.in)).toHaveLength(pack.left_out.length);
    for (const entry of told.entries) expect(entry.reason).toMatch(entry.in ? /^in: / : /^out: /);
    for (const item of pack.items) expect(JSON.stringify(told)).not.toContain(item.text);
    expect(await refusalOf(m.customer("tom").explainPack(pack.pack_id))).toBe("not_found");
    expect(await refusalOf(m.app("bank-nz").explainPack(pack.pack_id))).toBe("not_found");
  });

  it("S5-13 a pack tells when it is outdated, when something of it was deleted, and when its time is over", async () => {
    const { run } = await full();
    const { pack_id } = await m.app().assemble(run, {});
    const validity = async () => {
      const { valid, outdated } = await m.app().explainPack(pack_id);
      return { valid, outdated };
    };
    expect(await validity()).toEqual({ valid: true, outdated: false });
    await m.app().appendTurns(run, { turns: [said("more")] });
    expect(await validity()).toEqual({ valid: true, outdated: true });
    await m.db.query(
      "update muniment.subject set purge_revision = purge_revision + 1 where subject_id = (select subject_id from muniment.run where run_id = $1)",
      [run],
    );
    expect((await validity()).valid).toBe(false);
    const fresh = await m.app().assemble(run, {});
    expect((await m.app().explainPack(fresh.pack_id)).valid).toBe(true);
    m.clock.forward({ hours: 24 });
    expect((await m.app().explainPack(fresh.pack_id)).valid).toBe(false);
    expect(await refusalOf(m.app().assemble(run, {}))).toBe("run_expired");
  });

  it("S5-12 a refused assembly stores no pack, reads no turn and changes nothing but the trail", async () => {
    await m.operator().putRoute("quiet", routeBody({ profile: { long_term: "none" } }));
    const { run } = await start("quiet");
    const state = async () =>
      await m.db.query(
        "select (select count(*) from muniment.pack) as p, (select sum(revision) from muniment.subject) as r, (select sum(version) from muniment.run) as v",
      );
    const before = await state();
    const indexed = m.services.indexes.stats();
    const calls: readonly [string, () => Promise<unknown>][] = [
      ["mode_none", () => m.app().assemble(run, { recall: { query: "x" } })],
      ["not_found", () => m.customer("tom").assemble(run, {})],
      ["denied", () => m.as({ id: "r", roles: ["reader"] }).assemble(run, {})],
      ["invalid_input", () => m.app().assemble(run, { tokens_max: -1 })],
    ];
    for (const [kind, call] of calls) expect(await refusalOf(call())).toBe(kind);
    expect(await state()).toEqual(before);
    expect(m.services.indexes.stats()).toEqual(indexed);
    const rows = await m.db.query(
      "select memory_reads from muniment.audit where operation = 'assemble' and verdict = 'deny' and memory_reads <> '[]'",
    );
    expect(rows).toEqual([]);
  });
});
