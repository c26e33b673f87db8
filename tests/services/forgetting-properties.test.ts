import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { linesOf } from "../support/archived-person.js";
import { backUp, startAnew } from "../support/database-backup.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

const SOURCES = ["m1", "m2", "m3"] as const;
const TEXTS = [
  "I want to bake a walnut cake.",
  "I'd like to plant a walnut tree.",
  "I hope to mend the walnut chair.",
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
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom("derive", "rotate") }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constantFrom("back up", "restore") }) },
);
/** A backup is made amid them, and brought back amid what follows: by chance alone that would be rare. */
const acts = fc
  .tuple(
    fc.array(act, { minLength: 2, maxLength: 4 }),
    fc.array(act, { minLength: 2, maxLength: 4 }),
    fc.array(act, { maxLength: 3 }),
  )
  .map(([before, between, after]): Act[] => [
    ...before,
    { what: "back up" },
    ...between,
    { what: "restore" },
    ...after,
  ]);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** One source's clock is wrong: what it says claims a time that is far ahead. */
const WRONG = "m3";

/** By what something is recognised when it comes again. */
class Barred {
  readonly sources = new Set<string>();
  readonly texts = new Set<string>();

  has(from: string, said: string): boolean {
    return this.sources.has(from) || this.texts.has(said);
  }
}

/** What should be known of one person. */
class Model {
  readonly known = new Map<string, string>();
  /** What mayn't come again whatever time it claims, and what mayn't with a time before it was forgotten. */
  #always = new Barred();
  #past = new Barred();
  /** What claimed a time ahead: it stays barred when the person comes anew. */
  readonly #ahead = new Barred();
  /** As of the last backup, without what was taken away since. */
  #backup: { readonly known: Map<string, string>; forgotten: boolean } | null = null;
  held = false;
  /** Nobody is there. */
  forgotten = false;
  #erased = false;

  backUp(): void {
    this.#backup = { known: new Map(this.known), forgotten: this.forgotten };
  }

  /** What was said since the backup is lost; what was taken away since doesn't come back, nor what stood instead. */
  restore(): void {
    if (this.#backup === null) return;
    this.known.clear();
    for (const [from, said] of this.#backup.known) this.known.set(from, said);
    this.forgotten = this.#backup.forgotten;
    if (this.forgotten) this.held = false;
  }

  import(from: string, said: string): string {
    if (this.#ahead.has(from, said) || this.#always.has(from, said)) return "skipped";
    if (from !== WRONG && (this.#erased || this.#past.has(from, said))) return "skipped";
    if (this.known.has(from)) return "duplicate";
    this.known.set(from, said);
    this.forgotten = false;
    return "imported";
  }

  remove(from: string, reason: string): void {
    const said = this.known.get(from);
    this.known.delete(from);
    this.#backup?.known.delete(from);
    if (reason === "expire") return;
    const kept = [reason === "erase" ? this.#past : this.#always];
    for (const barred of from === WRONG ? [...kept, this.#ahead] : kept) {
      barred.sources.add(from);
      if (reason === "erase" && said !== undefined) barred.texts.add(said);
    }
  }

  correct(from: string, right: string): void {
    const said = this.known.get(from);
    if (said !== undefined) this.#always.texts.add(said);
    if (said !== undefined && from === WRONG) this.#ahead.texts.add(said);
    this.#backup?.known.delete(from);
    this.known.set(from, right);
  }

  forget(): void {
    for (const [from, said] of this.known) {
      if (from !== WRONG) continue;
      this.#ahead.sources.add(from);
      this.#ahead.texts.add(said);
    }
    // Whoever comes by that name is somebody new.
    this.#always = new Barred();
    this.#past = new Barred();
    this.forgotten = true;
    this.#erased = true;
    this.known.clear();
    if (this.#backup !== null) this.#backup = { known: new Map(), forgotten: true };
  }
}

describeEachDatabase("properties of forgetting", (database) => {
  let m: TestMuniment;
  let names = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  let restoreBackup: (() => Promise<void>) | null;

  /** The last backup in the place of the database, and a new process over it. */
  async function restore(): Promise<void> {
    if (restoreBackup === null) return;
    await restoreBackup();
    await startAnew(m);
  }

  async function derive(subject: string): Promise<void> {
    await m.operator().observeSubject(subject, { imported: true });
    await m.jobs.run();
  }

  /** What was observed of a person, as far as it's kept. */
  async function observed(subject: string): Promise<ReadonlySet<unknown>> {
    const lines = await linesOf(m.privacy().exportSubject(subject));
    return new Set(
      lines.flatMap(({ kind, body }) =>
        kind === "observation" ? [(body as { readonly text: string }).text] : [],
      ),
    );
  }

  async function perform(subject: string, model: Model, hold: string | null, given: Act) {
    if (given.what === "back up") {
      restoreBackup = await backUp(m);
      model.backUp();
      return hold;
    }
    if (given.what === "restore") {
      await restore();
      model.restore();
      return model.forgotten ? null : hold;
    }
    if (given.what === "derive") {
      if (!model.forgotten) await derive(subject);
      return hold;
    }
    if (given.what === "rotate") {
      if (!model.forgotten) await m.privacy().rotateKey(subject, {});
      return hold;
    }
    if (given.what === "import") {
      const { source: source_id, text: said } = given as { source: string; text: string };
      const observed_at = source_id === WRONG ? "9999-12-31T00:00:00Z" : "2026-02-01T09:00:00Z";
      const row = { session: "old", source_id, text: said, observed_at };
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

  it("S5-08 S5-09 S5-10 whatever is imported with whatever time, derived, sealed anew, corrected, withdrawn, held, forgotten, backed up and restored in whatever order, what is recalled and derived is what should be known", async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (given) => {
        const subject = `person-${names++}`;
        const model = new Model();
        let hold: string | null = null;
        restoreBackup = null;
        await m.app().startRun(subject, "main", { route_id: "chat", goal: "talk" });
        for (const one of given) {
          m.clock.forward({ seconds: 1 });
          hold = await perform(subject, model, hold, one);
        }
        const { run_id: run } = await m
          .app()
          .startRun(subject, "last", { route_id: "chat", goal: "talk" });
        const { hits } = await m.app().recallTurns(run, { query: "walnut" });
        expect(new Set(hits.map((hit) => hit.text))).toEqual(new Set(model.known.values()));
        // Nothing was derived of what isn't known any more; and of what is, everything is once it was gone through.
        const known = new Set(model.known.values());
        for (const text of await observed(subject)) expect(known).toContain(text);
        await derive(subject);
        expect(await observed(subject)).toEqual(known);
        expect(m.alarms).toEqual([]);
      }),
      // Each dumps and loads a whole database, which takes PGlite twice as long.
      { numRuns: database.name === "pglite" ? 5 : 10 },
    );
  });
});
