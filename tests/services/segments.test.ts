import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import type { KeyId, SessionId, SubjectId, TenantId, TurnId } from "../../src/domain/ids.js";
import { LIMITS } from "../../src/domain/limits.js";
import type { RecallReply } from "../../src/services/recall-turns.js";
import { sealSegments } from "../../src/services/seal-segments.js";
import { sweep } from "../../src/services/sweep.js";
import { termsPlace } from "../../src/services/turn-writing.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

const WORDS = ["walrus", "fee", "card", "loan", "harbour", "violin", "invoice", "A-1009"];
const QUERIES = [
  "the walrus and its loan",
  "A-1009",
  "violin",
  "nothing of that",
  "what did I say?",
];

describeEachDatabase("segments", (database) => {
  let m: TestMuniment;
  let made = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
    await m.operator().putRoute("other_topic", routeBody());
  });

  interface Subject {
    readonly name: string;
    readonly run: string;
    readonly tenant: TenantId;
    readonly id: SubjectId;
  }

  async function newSubject(name = `subject-${made++}`): Promise<Subject> {
    const { run_id: run } = await m.app().startRun(name, "now", { route_id: "chat", goal: "Ask" });
    const [at] = await m.db.query<{ tenant: TenantId; id: SubjectId }>(
      "select tenant_id as tenant, subject_id as id from muniment.run where run_id = $1",
      [run],
    );
    if (at === undefined) throw new Error("the run is there");
    return { name, run, ...at };
  }

  let told = 0;
  /** Turns of past sessions, each with words that others have too. */
  async function tell({ name }: Subject, turns: number, route_id = "chat") {
    const rows = Array.from({ length: turns }, () => {
      const n = told++;
      const words = [0, 3, 7].map((step) => WORDS[(n * (step + 1) + (n >> 3)) % WORDS.length]);
      return {
        session: `past-${n % 5}`,
        source_id: `source-${n}`,
        text: `${words.join(" ")} number ${n}`,
        speaker: n % 2 === 0 ? "Jane" : "Tom",
        observed_at: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
      };
    });
    await m.app().importTurns(name, { route_id, rows });
  }

  const say = ({ run }: Subject, text: string) =>
    m.app().appendTurns(run, { turns: [{ role: "user", text }] });

  async function answers({ run }: Subject) {
    const replies: Omit<RecallReply, "decision">[] = [];
    for (const query of QUERIES) {
      const { decision, ...reply } = await m.app().recallTurns(run, { query, limit: 7 });
      replies.push(reply);
    }
    return replies;
  }

  async function coldAnswers(subject: Subject) {
    m.services.indexes.drop(subject.tenant, subject.id);
    return await answers(subject);
  }

  /** What an index says that never saw a segment. */
  async function freshAnswers(subject: Subject) {
    const hide = (by: number) =>
      m.db.query("update muniment.segment set analyser = analyser + $2 where subject_id = $1", [
        subject.id,
        by,
      ]);
    await hide(1_000);
    const fresh = await coldAnswers(subject);
    await hide(-1_000);
    m.services.indexes.drop(subject.tenant, subject.id);
    return fresh;
  }

  const segments = ({ id }: Subject) =>
    m.db.query<{ segment_id: string; turns: number; after: string; upto: string }>(
      `select segment_id, turns, after_revision as after, upto_revision as upto from muniment.segment
       where subject_id = $1 order by upto_revision`,
      [id],
    );

  /** Makes the turns' own terms unreadable: what is still found comes from segments. */
  const spoilRows = ({ id }: Subject) =>
    m.db.query("update muniment.turn set terms_sealed = content_sealed where subject_id = $1", [
      id,
    ]);

  /** As an older version of the analyser would have left the turns' terms. */
  async function makeOld({ tenant, id }: Subject) {
    const rows = await m.db.query<{ turn: TurnId; session: SessionId; key: KeyId }>(
      `select t.turn_id as turn, t.session_id as session, s.key_id as key from muniment.turn t
       join muniment.subject s using (tenant_id, subject_id) where t.subject_id = $1`,
      [id],
    );
    for (const { turn, session, key } of rows) {
      const keys = await m.services.keyring.subjectKey(tenant, id, key);
      const old = keys?.sealTerms(termsPlace(turn, session), JSON.stringify({ v: 0, n: 1, t: [] }));
      await m.db.query("update muniment.turn set terms_sealed = $2 where turn_id = $1", [
        turn,
        old,
      ]);
    }
  }

  it("S4-11 a cold subject with many turns is answered from sealed segments, as its turns would", async () => {
    const subject = await newSubject();
    for (let n = 0; n < 3; n++) await tell(subject, 300);
    const warm = await answers(subject);
    expect((await sealSegments(m.services))[0]).toMatchObject({ subjects: 1, segments: 3 });
    expect((await segments(subject)).map(({ turns }) => turns)).toEqual([300, 300, 300]);
    expect(await answers(subject)).toEqual(warm);
    expect(await freshAnswers(subject)).toEqual(warm);
    await spoilRows(subject);
    expect(await coldAnswers(subject)).toEqual(warm);
    expect(m.alarms).toEqual([]);
    expect(await m.jobs.run()).toMatchObject({ segments: 0 });
  });

  it("S4-10 what was said after sealing is found too, and a turn that was written anew stands as it is now", async () => {
    const subject = await newSubject();
    await tell(subject, 300);
    const source = { session: "now", source_id: "import-1", text: "the oldest walrus" };
    await m.app().importTurns(subject.name, {
      route_id: "chat",
      rows: [{ ...source, observed_at: "2020-01-01T00:00:00Z" }],
    });
    await tell(subject, 300);
    await sealSegments(m.services);
    await say(subject, "a violin at the harbour");
    // As conversation it gets a later place and revision: its segment knows it as it was.
    await m.app().appendTurns(subject.run, {
      turns: [{ role: "user", text: "the oldest walrus", source_id: "import-1" }],
    });
    const cold = await coldAnswers(subject);
    expect(cold).toEqual(await freshAnswers(subject));
    const { hits } = await m.app().recallTurns(subject.run, { query: "oldest walrus" });
    expect(hits[0]).toMatchObject({ text: "the oldest walrus", source: { seq: 3 } });
  });

  it("S5-03 a segment that was swapped, moved, widened or broken shows nothing, raises an alarm and is made up for", async () => {
    const jane = await newSubject("jane");
    const tom = await newSubject("tom");
    for (const one of [jane, tom]) {
      for (let n = 0; n < 2; n++) await tell(one, 300);
      await say(one, `the secret of ${one.name} is a walrus`);
    }
    await sealSegments(m.services);
    const right = await freshAnswers(jane);
    const [first, second] = await segments(jane);
    const [foreign] = await segments(tom);
    const attacks = [
      [
        "another subject's",
        "set sealed = (select sealed from muniment.segment where segment_id = $2) where segment_id = $1",
        [first?.segment_id, foreign?.segment_id],
      ],
      [
        "the other one's",
        "set sealed = (select sealed from muniment.segment where segment_id = $2) where segment_id = $1",
        [first?.segment_id, second?.segment_id],
      ],
      [
        "a wider stretch",
        "set upto_revision = upto_revision + 1000 where segment_id = $1",
        [second?.segment_id],
      ],
      [
        "an older purge",
        "set purge_revision = 0, after_revision = 0 where segment_id = $1",
        [second?.segment_id],
      ],
      ["broken bytes", "set sealed = '\\x00'::bytea where segment_id = $1", [second?.segment_id]],
    ] as const;
    for (const [what, change, values] of attacks) {
      const kept = await m.db.query(
        "select segment_id, after_revision, upto_revision, sealed from muniment.segment where subject_id = $1",
        [jane.id],
      );
      const before = m.alarms.length;
      await m.db.query(`update muniment.segment ${change}`, values);
      expect(await coldAnswers(jane), what).toEqual(right);
      expect(m.alarms.slice(before), what).toEqual([
        { what: "sealed_value", table: "segment", detail: "sealed" },
      ]);
      for (const row of kept)
        await m.db.query(
          "update muniment.segment set after_revision = $2, upto_revision = $3, sealed = $4 where segment_id = $1",
          [row.segment_id, row.after_revision, row.upto_revision, row.sealed],
        );
    }
    await m.db.query("delete from muniment.segment where segment_id = $1", [first?.segment_id]);
    expect(await coldAnswers(jane)).toEqual(right);
  });

  it("S5-08 a purge makes all earlier segments worthless at once, and sealing removes them", async () => {
    const subject = await newSubject();
    for (let n = 0; n < 2; n++) await tell(subject, 300);
    await sealSegments(m.services);
    const before = await segments(subject);
    await m.db.query("delete from muniment.turn where subject_id = $1 and seq % 2 = 0", [
      subject.id,
    ]);
    await m.db.query(
      "update muniment.subject set purge_revision = revision + 1, revision = revision + 1 where subject_id = $1",
      [subject.id],
    );
    const [{ coverage } = { coverage: null }] = await coldAnswers(subject);
    expect(coverage).toMatchObject({ searched: 300 });
    expect(await freshAnswers(subject)).toEqual(await coldAnswers(subject));
    expect(await m.jobs.run()).toMatchObject({ segments: 1 });
    const after = await segments(subject);
    expect(after).toHaveLength(1);
    expect(before.map((one) => one.segment_id)).not.toContain(after[0]?.segment_id);
  });

  it("S4-29 a segment goes with the first of its turns that stops being evidence; the others are found as before", async () => {
    const subject = await newSubject();
    for (let n = 0; n < 2; n++) await tell(subject, 300);
    await m.db.query(
      "update muniment.turn set evidence_until = $2 where subject_id = $1 and source_id is not null and turn_id in (select turn_id from muniment.turn where subject_id = $1 order by revision, session_id, seq limit 10)",
      [subject.id, new Date(m.clock.now().getTime() + 3_600_000)],
    );
    await sealSegments(m.services);
    const kept = async () => (await segments(subject)).length;
    expect(await kept()).toBe(2);
    m.clock.forward({ hours: 1, milliseconds: LIMITS.sweepGraceMs });
    const cold = await coldAnswers(subject);
    expect(cold[0]?.coverage.searched).toBe(590);
    await sweep(m.services);
    expect(await kept()).toBe(1);
    expect(await coldAnswers(subject)).toEqual(cold);
  });

  it("S4-11 terms of another analyser are made again from the text, at once by recall and for good by sealing", async () => {
    const subject = await newSubject();
    for (let n = 0; n < 2; n++) await tell(subject, 300);
    const right = await coldAnswers(subject);
    await makeOld(subject);
    expect(await coldAnswers(subject)).toEqual(right);
    await sealSegments(m.services);
    expect(await segments(subject)).toHaveLength(2);
    await spoilRows(subject);
    expect(await coldAnswers(subject)).toEqual(right);
    expect(m.alarms.filter(({ table }) => table === "turn")).toEqual([]);
  });

  it("S4-10 whatever the order of appends, sealing, purges and restarts, the answer is that of a fresh index", async () => {
    const step = fc.oneof(
      fc.record({ tell: fc.integer({ min: 1, max: 300 }) }),
      fc.constantFrom("say", "seal", "restart", "recall", "purge"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 9 }), async (steps) => {
        const subject = await newSubject();
        for (const one of steps) {
          if (typeof one === "object") await tell(subject, one.tell);
          else if (one === "say") await say(subject, `a walrus for ${told++}`);
          else if (one === "seal") await sealSegments(m.services);
          else if (one === "restart") m.services.indexes.drop(subject.tenant, subject.id);
          else if (one === "recall") await m.app().recallTurns(subject.run, { query: "fee" });
          else
            await m.db.query(
              "update muniment.subject set purge_revision = purge_revision + 1, revision = revision + 1 where subject_id = $1",
              [subject.id],
            );
        }
        const now = await answers(subject);
        expect(await coldAnswers(subject)).toEqual(now);
        expect(await freshAnswers(subject)).toEqual(now);
      }),
      {
        numRuns: 3,
        endOnFailure: true,
        examples: [[[{ tell: 300 }, "recall", "seal", "say", { tell: 300 }, "seal"]]],
      },
    );
  });
});
