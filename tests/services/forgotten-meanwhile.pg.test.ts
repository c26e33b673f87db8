import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MunimentError } from "../../src/domain/errors.js";
import type { Transaction } from "../../src/storage/store.js";
import { linesOf } from "../support/archived-person.js";
import { fieldBody, routeBody } from "../support/muniment.js";
import { openTwoMuniments, type TwoMuniments } from "../support/two-muniments.js";

const SECRET = "quokka";

describe("what is read, forgotten by another process, and then written (postgres 18)", () => {
  let both: TwoMuniments;
  let names = 0;

  beforeAll(async () => {
    both = await openTwoMuniments();
    const operator = both.first.operator();
    const tools = ["recall_turns", "upsert_preference"];
    await operator.putField("pref_word", fieldBody());
    await operator.putRoute("chat", routeBody({ autonomy: 1, store_fields: ["pref_word"], tools }));
    await operator.putRoute("answer", routeBody({ recall_from: ["chat"] }));
  });

  afterAll(() => both.close());

  const officer = () => both.second.as({ id: "petra", kind: "human", roles: ["privacy_officer"] });

  /** Done, or waiting for a lock of what is at work. */
  async function asFarAsItGoes(started: Promise<unknown>) {
    let isDone = false;
    const ended = started.finally(() => {
      isDone = true;
    });
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    while (!isDone && (await both.query(waiting, [])).length === 0);
    return { ended };
  }

  /** Does `meanwhile` before the n-th exchange with the database of what is at work, if it has that many. */
  async function amid(n: number, work: () => Promise<unknown>, meanwhile: () => Promise<unknown>) {
    const { store } = both.first.services;
    const own = store.transact.bind(store);
    let exchanges = 0;
    let ended: Promise<unknown> | null = null;
    const step = async () => {
      if (exchanges++ === n) ({ ended } = await asFarAsItGoes(meanwhile()));
    };
    store.transact = (permit, use) =>
      own(permit, (tx) => {
        const stepped = {
          send: (statements: never) => step().then(() => tx.send(statements)),
          commit: (statements: never) => step().then(() => tx.commit(statements)),
        };
        return use(stepped as unknown as Transaction);
      });
    try {
      await work();
    } catch (error) {
      // What nothing came between isn't refused.
      if (!(error instanceof MunimentError) || exchanges <= n) throw error;
    } finally {
      store.transact = own;
    }
    await ended;
    return exchanges;
  }

  async function talk() {
    const subject = `person-${names++}`;
    const app = both.first.app();
    const { run_id: run } = await app.startRun(subject, "main", { route_id: "chat", goal: "x" });
    const turns = [{ role: "user" as const, text: `my word is ${SECRET}` }];
    const [turn = ""] = (await app.appendTurns(run, { turns })).turn_ids;
    return { subject, run, turn, app };
  }
  const left = async (subject: string) =>
    (await linesOf(officer().exportSubject(subject))).filter((line) =>
      JSON.stringify(line).includes(SECRET),
    );

  const cases = {
    "slots that are handed to a child": async () => {
      const { subject, run, turn, app } = await talk();
      await app.completeStage(run, "decide", { output: { said: SECRET } });
      return {
        subject,
        work: () => app.projectChild(run, { route_id: "chat", goal: "c", slots: ["decide"] }),
        forget: () => officer().eraseScope(subject, "turn", { target: turn }),
      };
    },
    "a proposal with its evidence": async () => {
      const { subject, run, turn, app } = await talk();
      const body = { field_id: "pref_word", value: SECRET, evidence: [turn] };
      return {
        subject,
        work: () => app.upsertPreference(run, body),
        forget: () => officer().eraseScope(subject, "turn", { target: turn }),
      };
    },
    "what is recalled by a tool": async () => {
      const { subject, turn, app } = await talk();
      const { run_id } = await app.startRun(subject, "other", { route_id: "chat", goal: "x" });
      const output = { saw: SECRET };
      return {
        subject,
        work: async () => {
          const { hits } = await app.recallTurns(run_id, { query: SECRET });
          if (hits.length > 0) await app.completeStage(run_id, "decide", { output });
        },
        forget: () => officer().eraseScope(subject, "turn", { target: turn }),
      };
    },
    "what a pack shows": async () => {
      const { subject, turn, app } = await talk();
      const { run_id } = await app.startRun(subject, "other", { route_id: "answer", goal: "x" });
      const output = { saw: SECRET };
      return {
        subject,
        work: async () => {
          const { text } = await app.assemble(run_id, { recall: { query: SECRET } });
          if (text.includes(SECRET)) await app.completeStage(run_id, "decide", { output });
        },
        forget: () => officer().eraseScope(subject, "turn", { target: turn }),
      };
    },
    "a value that is taken back": async () => {
      const subject = `person-${names++}`;
      const rita = both.first.as({ id: "rita", kind: "human", roles: ["reviewer"] });
      await rita.setPreference(subject, "pref_word", { value: SECRET });
      const { promotion_id: id } = await rita.setPreference(subject, "pref_word", {
        value: "wombat",
      });
      const target = { target: "pref_word", reason: "correct" } as const;
      return {
        subject,
        work: () => rita.revertPromotion(id, {}),
        forget: () => officer().eraseScope(subject, "field", target),
      };
    },
  };

  it.each(Object.entries(cases))(
    "S5-08 %s: what was forgotten isn't written again, whenever it was forgotten",
    async (_, make) => {
      for (let n = 1; n < 10; n++) {
        const { subject, work, forget } = await make();
        const exchanges = await amid(n, work, forget);
        if (exchanges <= n)
          return expect(n, "something was forgotten meanwhile").toBeGreaterThan(1);
        expect(await left(subject)).toEqual([]);
      }
      expect.unreachable("it has more exchanges than were tried");
    },
  );

  it.each(["turn", "subject"] as const)(
    "S5-08 a reply that is kept for a repeat shows no %s that was forgotten while it was made",
    async (scope) => {
      for (let n = 1; n < 10; n++) {
        const { subject, run, turn, app } = await talk();
        await app.completeStage(run, "decide", { output: { said: SECRET } });
        const keyed = both.first.app(`key of ${subject}`);
        const take = () => keyed.takeTurn(subject, "main", { resume: false });
        const [row] = await both.query("select subject_id from muniment.run where run_id = $1", [
          run,
        ]);
        const exchanges = await amid(n, take, () =>
          scope === "turn"
            ? officer().eraseScope(subject, "turn", { target: turn })
            : officer().eraseSubject(subject, {}),
        );
        if (exchanges <= n) return expect(n).toBeGreaterThan(1);
        if (scope === "turn") expect(JSON.stringify(await take())).not.toContain(SECRET);
        else
          expect(
            await both.query("select 1 from muniment.idempotency where subject_id = $1", [
              row?.subject_id,
            ]),
          ).toEqual([]);
      }
      expect.unreachable("it has more exchanges than were tried");
    },
  );
});
