import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { MunimentError } from "../../src/domain/errors.js";
import { describeEachDatabase } from "../setup/databases.js";
import { fieldBody, openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

const VALUES = ["en", "es", "fr"] as const;
const WHO = ["rita", "rolf"] as const;

const value = fc.constantFrom(...VALUES);
/** One thing that somebody does to a person's store; `pick` chooses among what was filed or promoted so far. */
const act = fc.oneof(
  fc.record({
    what: fc.constant("propose" as const),
    value,
    role: fc.constantFrom("settings", "app"),
  }),
  fc.record({ what: fc.constant("model" as const), value }),
  fc.record({ what: fc.constant("click" as const), value: fc.option(value) }),
  fc.record({
    what: fc.constant("approve" as const),
    pick: fc.nat(),
    who: fc.constantFrom(...WHO),
  }),
  fc.record({ what: fc.constant("pass" as const), pick: fc.nat() }),
  fc.record({ what: fc.constant("reject" as const), pick: fc.nat() }),
  fc.record({ what: fc.constant("revert" as const), pick: fc.nat() }),
  fc.record({ what: fc.constant("delete" as const) }),
  fc.record({ what: fc.constant("restart" as const) }),
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** Acts at the same moment. */
const moment = fc.array(act, { minLength: 1, maxLength: 3 });

interface Filed {
  readonly candidate_id: string;
  readonly value_hash: string;
}

describeEachDatabase("store properties", (database) => {
  let m: TestMuniment;
  let rounds = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    const schema = { type: "string", enum: [...VALUES] };
    await m.operator().putField("lang", fieldBody({ value_schema: schema }));
    await m
      .operator()
      .putRoute(
        "chat",
        routeBody({ autonomy: 1, tools: ["upsert_preference"], store_fields: ["lang"] }),
      );
  });

  /** Refusals are part of the game; anything else isn't. */
  async function attempt<T>(call: Promise<T>): Promise<T | null> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof MunimentError && error.kind !== "internal") return null;
      throw error;
    }
  }

  async function play(
    it: Act,
    at: { subject: string; run: string; filed: Filed[]; promoted: string[] },
  ): Promise<void> {
    const { subject, run, filed, promoted } = at;
    const chosen = "pick" in it ? filed[it.pick % Math.max(1, filed.length)] : undefined;
    const seen = { value_hash: chosen?.value_hash ?? "" };
    const id = chosen?.candidate_id ?? "";
    const body = { field_id: "lang", value: "value" in it ? it.value : null };
    switch (it.what) {
      case "propose": {
        const reply = await attempt(m.service(it.role).proposeField(subject, body));
        if (reply !== null) filed.push(reply);
        return;
      }
      case "model": {
        const reply = await attempt(m.app().upsertPreference(run, body));
        if (reply !== null) filed.push(reply);
        return;
      }
      case "click": {
        const reply = await attempt(
          m.customer(subject).setPreference(subject, "lang", { value: it.value }),
        );
        if (reply !== null) promoted.push(reply.promotion_id);
        return;
      }
      case "approve":
      case "pass": {
        const reply = await attempt(
          it.what === "approve"
            ? m.reviewer(it.who).promoteByHuman(id, seen)
            : m
                .service("evaluator")
                .promoteByEvaluator(id, { ...seen, criterion: "pref_extraction" }),
        );
        if (reply?.promotion_id) promoted.push(reply.promotion_id);
        return;
      }
      case "reject":
        await attempt(m.reviewer().rejectCandidate(id, seen));
        return;
      case "revert": {
        const promotion = promoted[it.pick % Math.max(1, promoted.length)] ?? "";
        const reply = await attempt(m.reviewer().revertPromotion(promotion, {}));
        if (reply !== null) promoted.push(reply.promotion_id);
        return;
      }
      case "restart":
        // A process that has just started knows nothing of what others know.
        for (const cache of Object.values(m.services.caches)) cache.clear();
        return;
      case "delete": {
        const reply = await attempt(m.reviewer().deleteField(subject, "lang", {}));
        if (reply !== null) promoted.push(reply.promotion_id);
      }
    }
  }

  it("S2-22 whoever does what at the same time, each value has its one row of the log with the same hash, and a model's word none without a person", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moment, { minLength: 2, maxLength: 8 }), async (moments) => {
        rounds += 1;
        const subject = `person ${rounds}`;
        const { run_id: run } = await m
          .app()
          .startRun(subject, "s", { route_id: "chat", goal: `round ${rounds}` });
        const at = { subject, run, filed: [], promoted: [] as string[] };
        for (const acts of moments) await Promise.all(acts.map((one) => play(one, at)));
        const { promotions } = await m.operator().listPromotions(subject, { limit: 200 });
        expect(promotions.map((row) => row.promotion_id).toSorted()).toEqual(
          at.promoted.toSorted(),
        );
        const versions = promotions.map((row) => row.version).toReversed();
        expect(versions).toEqual(versions.map((_, index) => index + 1));
        for (const [index, row] of promotions.entries())
          expect(row.old_hash).toBe(promotions[index + 1]?.new_hash ?? null);
        expect(new Set(promotions.map((row) => row.candidate_id)).size).toBe(promotions.length);
        for (const row of promotions)
          if (row.source === "model" || row.source === "application")
            expect([row.path, row.actor]).toEqual(["human", expect.stringMatching(/^human:r/)]);
        const values = await m.db.query<{ same: boolean; values: string; rows: string }>(
          `select bool_and(coalesce(p.new_hash = v.value_hash, false)) as same, count(*)::text as values,
             count(distinct v.promotion_id)::text as rows
           from muniment.field_value v
           left join muniment.promotion p on p.promotion_id = v.promotion_id`,
        );
        expect(values[0]?.same ?? true).toBe(true);
        expect(values[0]?.values).toBe(values[0]?.rows);
        const shown = (await m.app().listFields(subject)).fields[0];
        if (shown !== undefined) expect(shown.promotion_id).toBe(promotions[0]?.promotion_id);
      }),
      { numRuns: 12 },
    );
    expect(m.alarms).toEqual([]);
  }, 180_000);
});
