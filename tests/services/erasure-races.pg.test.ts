import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createJobs } from "../../src/compose/jobs.js";
import { MunimentError } from "../../src/domain/errors.js";
import { replayLedger } from "../../src/services/replay-ledger.js";
import { sealSegments } from "../../src/services/seal-segments.js";
import { tendKeys } from "../../src/services/tend-keys.js";
import { SUBJECT_TABLES } from "../../src/storage/queries/subject-end.js";
import { fieldBody, routeBody } from "../support/muniment.js";
import { refusedWith } from "../support/refusal.js";
import { type Instance, openTwoMuniments, type TwoMuniments } from "../support/two-muniments.js";

interface Person {
  readonly subject: string;
  readonly run: string;
}

type Write = (from: Instance, person: Person, n: number) => Promise<unknown>;

const turn = (n: number) => ({ role: "user" as const, text: `late ${n}` });

const WRITES: Readonly<Record<string, Write>> = {
  append: (from, { run }, n) => from.app().appendTurns(run, { turns: [turn(n)] }),
  "append with a key": (from, { run }, n) =>
    from.app(`k-${run}-${n}`).appendTurns(run, { turns: [turn(n)] }),
  "take a turn": (from, { subject }, n) =>
    from.app().takeTurn(subject, "main", { turns: [turn(n)] }),
  import: (from, { subject }, n) =>
    from.app().importTurns(subject, {
      route_id: "chat",
      rows: [
        { session: "old", source_id: `s${n}`, text: "old", observed_at: "2026-01-01T00:00:00Z" },
      ],
    }),
  stage: (from, { run }, n) => from.app().completeStage(run, `s${n}`, { output: n }),
  checkpoint: (from, { run }, n) => from.app().writeCheckpoint(run, { step: n }),
  pack: (from, { run }) => from.app().assemble(run, { recall: { query: "hello" } }),
  close: (from, { subject }) => from.app().closeSession(subject, "main", {}),
  preference: (from, { subject }) =>
    from
      .as({ id: "rita", kind: "human", roles: ["reviewer"] })
      .setPreference(subject, "tone", { value: "calm" }),
  export: async (from, { subject }) => {
    const officer = from.as({ id: "petra", kind: "human", roles: ["privacy_officer"] });
    for await (const _ of officer.exportSubject(subject));
  },
  "a new key": (from, { subject }) =>
    from
      .as({ id: "petra", kind: "human", roles: ["privacy_officer"] })
      .rotateKey(subject, {})
      .then(() => tendKeys(from.services)),
  "seal and work": async (from) => {
    await sealSegments(from.services);
    await createJobs(from.services).run();
  },
};

/** Answers that a write may get whose person goes meanwhile. */
const LATE = ["not_found", "run_ended", "version_conflict", "unavailable", "erased"];

describe("erasure against late writes of two processes (postgres 18)", () => {
  let both: TwoMuniments;
  let names = 0;

  beforeAll(async () => {
    both = await openTwoMuniments();
    await both.first.operator().putField("tone", fieldBody());
    await both.first.operator().putRoute("chat", routeBody({ store_fields: ["tone"] }));
  });

  afterAll(() => both.close());

  async function person(): Promise<Person & { readonly id: string }> {
    const subject = `person-${names++}`;
    const asked = { route_id: "chat", goal: "x" };
    const { run_id: run } = await both.first.app().startRun(subject, "main", asked);
    // The second process knows person, run and key from now on.
    await both.second.app().appendTurns(run, { turns: [{ role: "user", text: "hello" }] });
    return { subject, run, id: await idOf(run) };
  }

  const query = async (text: string, values: readonly unknown[]) => both.query(text, values);
  const idOf = async (run: string) =>
    String(
      (await query("select subject_id from muniment.run where run_id = $1", [run]))[0]?.subject_id,
    );

  async function left(id: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const table of SUBJECT_TABLES) {
      const rows = await query(`select 1 from muniment.${table} where subject_id = $1`, [id]);
      if (rows.length > 0) found.push(table);
    }
    return found;
  }

  const erase = ({ subject }: Person) =>
    both.first
      .as({ id: "petra", kind: "human", roles: ["privacy_officer"] })
      .eraseSubject(subject, {});

  async function late(write: Promise<unknown>): Promise<void> {
    try {
      await write;
    } catch (error) {
      if (!(error instanceof MunimentError) || !LATE.includes(error.kind)) throw error;
    }
  }

  it.each(Object.entries(WRITES))(
    "S5-08 %s beside an erasure, and after it, leaves nothing of who was erased",
    async (_, write) => {
      for (const wait of [0, 1, 3]) {
        const someone = await person();
        const writes = Array.from({ length: 6 }, (__, n) =>
          late(write(n % 2 === 0 ? both.second : both.first, someone, n)),
        );
        for (let turns = 0; turns < wait; turns++) await Promise.resolve();
        const receipt = await erase(someone);
        await Promise.all(writes);
        expect(await left(someone.id)).toEqual([]);
        expect(
          receipt.stores.filter(({ name, found }) => !name.startsWith("memory") && found > 0),
        ).toEqual([]);
        await late(write(both.second, someone, 9));
        expect(await left(someone.id)).toEqual([]);
      }
      expect(both.alarms).toEqual([]);
    },
  );

  it("S5-08 two erasures of one person at once end in one forgotten person, and both have a receipt", async () => {
    const someone = await person();
    const [one, two] = await Promise.all([erase(someone), erase(someone)]);
    expect(await left(someone.id)).toEqual([]);
    for (const receipt of [one, two])
      expect(receipt.stores.filter(({ found }) => found > 0)).toEqual([]);
  });

  it("S5-08 a process that knew the person and her key reads nothing once she is erased elsewhere", async () => {
    const someone = await person();
    await both.second.app().assemble(someone.run, {});
    await erase(someone);
    const app = both.second.app();
    const shown: unknown[] = [];
    for (const read of [
      () => app.listTurns(someone.run, {}),
      () => app.readRun(someone.run),
      () => app.recallTurns(someone.run, { query: "hello" }),
      () => app.assemble(someone.run, {}),
      () => app.listFields(someone.subject),
    ])
      await late(read().then((reply) => shown.push(reply)));
    expect(JSON.stringify(shown)).not.toContain("hello");
  });

  /** While the table is away: what needs it fails. */
  async function without<R>(table: string, use: () => Promise<R>): Promise<R> {
    await query(`alter table ${table} rename to away`, []);
    try {
      return await use();
    } finally {
      const [schema] = table.split(".");
      await query(`alter table ${schema}.away rename to ${table.split(".")[1]}`, []);
    }
  }

  it("S5-08 a ledger that takes no line stops an erasure before anything has changed", async () => {
    const someone = await person();
    const before = await left(someone.id);
    const refused = await without("muniment_custody.ledger", () => refusedWith(erase(someone)));
    expect(["unavailable", "internal"]).toContain(refused.kind);
    expect(await left(someone.id)).toEqual(before);
    await both.second.app().appendTurns(someone.run, { turns: [turn(1)] });
    await erase(someone);
    expect(await left(someone.id)).toEqual([]);
  });

  it("S5-08 a database that fails after the intent has changed nothing, and asking again goes on", async () => {
    const someone = await person();
    const before = await left(someone.id);
    await without("muniment.tombstone", () => refusedWith(erase(someone)));
    expect(await left(someone.id)).toEqual(before);
    const receipt = await erase(someone);
    expect(await left(someone.id)).toEqual([]);
    expect(receipt.stores.filter(({ found }) => found > 0)).toEqual([]);
    // The first intent had no transaction: the next start finds nothing left to do for it.
    expect((await replayLedger(both.second.services)).length).toBeGreaterThan(0);
    expect(await replayLedger(both.first.services)).toEqual([{ tenant: "bank-au", replayed: 0 }]);
  });
});
