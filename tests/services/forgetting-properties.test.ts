import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

const SOURCES = ["m1", "m2", "m3"] as const;
const TEXTS = [
  "walnut cake on Sunday",
  "walnut tree by the gate",
  "walnut chair in the hall",
] as const;

const source = fc.constantFrom(...SOURCES);
const text = fc.constantFrom(...TEXTS);
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant("import" as const), source, text }) },
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constantFrom("erase", "retract", "expire"), source }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("correct" as const), source, text }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom("hold", "release", "forget") }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** What should be known of one person. */
class Model {
  readonly known = new Map<string, string>();
  readonly #sources = new Set<string>();
  readonly #texts = new Set<string>();
  held = false;
  forgotten = false;

  import(from: string, said: string): string {
    if (this.forgotten || this.#sources.has(from) || this.#texts.has(said)) return "skipped";
    if (this.known.has(from)) return "duplicate";
    this.known.set(from, said);
    return "imported";
  }

  remove(from: string, reason: string): void {
    const said = this.known.get(from);
    this.known.delete(from);
    if (reason !== "expire") this.#sources.add(from);
    if (reason === "erase" && said !== undefined) this.#texts.add(said);
  }

  correct(from: string, right: string): void {
    const said = this.known.get(from);
    if (said !== undefined) this.#texts.add(said);
    this.known.set(from, right);
  }

  forget(): void {
    this.forgotten = true;
    this.known.clear();
  }
}

describeEachDatabase("properties of forgetting", (database) => {
  let m: TestMuniment;
  let names = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  async function perform(subject: string, model: Model, hold: string | null, given: Act) {
    if (given.what === "import") {
      const { source: source_id, text: said } = given as { source: string; text: string };
      const row = { session: "old", source_id, text: said, observed_at: "2026-02-01T09:00:00Z" };
      const { rows } = await m.app().importTurns(subject, { route_id: "chat", rows: [row] });
      expect(rows[0]?.status).toBe(model.import(source_id, said));
      return hold;
    }
    if (given.what === "hold") {
      if (model.forgotten) return hold;
      const placed = await m.privacy().placeHold(subject, {});
      model.held = true;
      return placed.hold_id;
    }
    if (given.what === "release") {
      if (hold !== null) await m.privacy().releaseHold(hold);
      model.held = false;
      return null;
    }
    if (given.what === "forget") {
      if (model.forgotten) return hold;
      const asked = m.privacy().eraseSubject(subject, {});
      if (model.held) expect(await refusalOf(asked)).toBe("on_hold");
      else {
        expect((await asked).stores.filter(({ found }) => found > 0)).toEqual([]);
        model.forget();
      }
      return hold;
    }
    const {
      source: target,
      what: reason,
      text: right,
    } = given as {
      source: string;
      what: "erase" | "retract" | "expire" | "correct";
      text?: string;
    };
    if (!model.known.has(target)) return hold;
    const body = { target, reason, ...(right === undefined ? {} : { text: right }) };
    const asked = m.privacy().eraseScope(subject, "source", body);
    if (model.held) expect(await refusalOf(asked)).toBe("on_hold");
    else {
      expect((await asked).stores.filter(({ found }) => found > 0)).toEqual([]);
      if (right === undefined) model.remove(target, reason);
      else model.correct(target, right);
    }
    return hold;
  }

  it("S5-08 S5-10 whatever is imported, corrected, withdrawn, held and forgotten in whatever order, what is recalled is what should be known", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 9 }), async (acts) => {
        const subject = `person-${names++}`;
        const model = new Model();
        let hold: string | null = null;
        await m.app().startRun(subject, "main", { route_id: "chat", goal: "talk" });
        for (const given of acts) {
          m.clock.forward({ seconds: 1 });
          hold = await perform(subject, model, hold, given);
        }
        const { run_id: run } = await m
          .app()
          .startRun(subject, "last", { route_id: "chat", goal: "talk" });
        const { hits } = await m.app().recallTurns(run, { query: "walnut" });
        expect(new Set(hits.map((hit) => hit.text))).toEqual(new Set(model.known.values()));
        expect(m.alarms).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });
});
