import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { replayLedger } from "../../src/services/replay-ledger.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

const PEOPLE = 3;
const SOURCES = 4;

type Step =
  | { readonly kind: "say"; readonly person: number }
  | { readonly kind: "erase"; readonly person: number }
  | { readonly kind: "restart" }
  | {
      readonly kind: "import";
      readonly person: number;
      readonly source: number;
      /** Hours ago that it was observed. */
      readonly ago: number;
    };

const person = fc.nat({ max: PEOPLE - 1 });
const steps = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({ kind: fc.constant("say" as const), person }),
    fc.record({
      kind: fc.constant("import" as const),
      person,
      source: fc.nat({ max: SOURCES - 1 }),
      ago: fc.nat({ max: 3 }),
    }),
    fc.record({ kind: fc.constant("erase" as const), person }),
    fc.record({ kind: fc.constant("restart" as const) }),
  ),
  { minLength: 4, maxLength: 9 },
);

/** What should be remembered of somebody, as simply as it can be said. */
class Model {
  turns: Set<string> | null = null;
  erasedAt: number | null = null;
}

describeEachDatabase("erasure, in any order", (database) => {
  let m: TestMuniment;
  let tries = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  const hours = () => m.clock.now().getTime() / 3_600_000;

  async function play(step: Step, name: (n: number) => string, models: readonly Model[]) {
    m.clock.forward({ hours: 1 });
    if (step.kind === "restart") return void (await replayLedger(m.services));
    const subject = name(step.person);
    const model = models[step.person] ?? new Model();
    if (step.kind === "say") {
      const asked = { route_id: "chat", goal: "x" };
      const { run_id } = await m.app().startRun(subject, "main", asked);
      await m.app().appendTurns(run_id, { turns: [{ role: "user", text: "said" }] });
      model.turns = new Set([...(model.turns ?? []), `said ${hours()}`]);
    } else if (step.kind === "import") {
      const observed = m.clock.now().getTime() - step.ago * 3_600_000;
      const row = { session: "old", source_id: `s${step.source}`, text: "imported" };
      const rows = [{ ...row, observed_at: new Date(observed).toISOString() }];
      const reply = await m.app().importTurns(subject, { route_id: "chat", rows });
      const isErased = model.erasedAt !== null && observed / 3_600_000 <= model.erasedAt;
      expect(reply.skipped).toBe(isErased ? 1 : 0);
      if (!isErased) model.turns = new Set([...(model.turns ?? []), `source ${step.source}`]);
    } else if (model.turns === null && model.erasedAt === null) {
      expect(await refusalOf(m.privacy().eraseSubject(subject, {}))).toBe("not_found");
    } else {
      const { stores } = await m.privacy().eraseSubject(subject, {});
      expect(stores.filter(({ found }) => found > 0)).toEqual([]);
      if (model.turns !== null) model.erasedAt = hours();
      model.turns = null;
    }
  }

  /** Turns of all subjects, by whether they live. */
  const turnsOf = async (state: string) => {
    const [row] = await m.db.query<{ n: number }>(
      `select count(*)::int as n from muniment.turn t
        join muniment.subject u on u.tenant_id = t.tenant_id and u.subject_id = t.subject_id where u.state = $1`,
      [state],
    );
    return row?.n ?? 0;
  };

  it("S5-08 S5-09 what is remembered is what a simple model says, after any order of talking, importing, erasing and starting anew", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (order) => {
        const at = tries++;
        const models = Array.from({ length: PEOPLE }, () => new Model());
        const before = await turnsOf("active");
        for (const step of order) await play(step, (n) => `person-${at}-${n}`, models);
        const expected = models.reduce((sum, { turns }) => sum + (turns?.size ?? 0), 0);
        expect((await turnsOf("active")) - before).toBe(expected);
        expect(await turnsOf("ended")).toBe(0);
      }),
      { numRuns: 12 },
    );
    expect(m.alarms).toEqual([]);
  });
});
