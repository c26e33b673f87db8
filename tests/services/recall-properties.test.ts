import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { MunimentError } from "../../src/domain/errors.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

const WORDS = [
  "walrus",
  "fee",
  "naïve",
  "12.5 mg",
  "東京",
  "ไทย",
  "A-1009",
  "ﬁne",
  "👩‍👩‍👧",
  "last May",
];
const OPERATORS = ["%", "_", "*", '"', "a:*", "fee & !card", "'; drop table turn; --", "\\"];

const anySentence = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 })
  .map((words) => words.join(" "));
const anyText = fc.oneof(
  { weight: 2, arbitrary: anySentence },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 300 }) },
);
const anyQuery = fc.oneof(anyText, fc.constantFrom(...OPERATORS, "what did I say?"));

describeEachDatabase("properties of recall", (database) => {
  let m: TestMuniment;
  let made = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  interface Subject {
    readonly run: string;
    /** What was said and taken. */
    readonly texts: readonly string[];
  }

  async function newSubject(said: readonly string[]): Promise<Subject> {
    const start = { route_id: "chat", goal: "Talk" };
    const { run_id: run } = await m.app().startRun(`subject-${made++}`, "s", start);
    const texts: string[] = [];
    for (const text of said) {
      const kept = await orInvalid(
        m.app().appendTurns(run, { turns: [{ role: "user", text, speaker: "Jane" }] }),
      );
      if (kept !== "invalid_input") texts.push(text);
    }
    return { run, texts };
  }

  /** Anything else that it ends with fails the test. */
  async function orInvalid<Reply>(call: Promise<Reply>): Promise<Reply | "invalid_input"> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof MunimentError && error.kind === "invalid_input") return error.kind;
      throw error;
    }
  }

  async function answers({ run }: Subject, queries: readonly string[]) {
    const replies = [];
    for (const query of queries) {
      const reply = await orInvalid(m.app().recallTurns(run, { query, limit: 5 }));
      if (reply === "invalid_input") replies.push({ outcome: reply, hits: [], fallback: null });
      else replies.push({ ...reply, decision: null });
    }
    return replies;
  }

  it("S4-10 S4-11 S4-12 S5-03 whatever is said and asked: the answer is the same warm and cold, another person's turns change none of its scores, each hit says why it is there, and text is well-formed", async () => {
    let shown = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyText, { minLength: 1, maxLength: 6 }),
        fc.array(anyText, { minLength: 1, maxLength: 3 }),
        fc.array(anyQuery, { minLength: 1, maxLength: 4 }),
        async (own, others, queries) => {
          const subject = await newSubject(own);
          const first = await answers(subject, queries);
          await answers(await newSubject([...others, ...own]), queries);
          expect(await answers(subject, queries)).toEqual(first);
          m.services.indexes.close();
          expect(await answers(subject, queries)).toEqual(first);
          for (const { hits, fallback } of first) {
            for (const { text, snippet, why } of hits) {
              shown += 1;
              expect(subject.texts).toContain(text);
              expect((text + snippet.text).isWellFormed()).toBe(true);
              const { words = 0, previous = 0, next = 0 } = why;
              expect(words + previous + next > 0).toBe(fallback === null);
            }
          }
        },
      ),
      { numRuns: 25, endOnFailure: true },
    );
    expect(shown).toBeGreaterThan(0);
    expect(m.alarms).toEqual([]);
  });

  it("S4-11 many recalls of a cold subject at once fill its index once, and agree", async () => {
    const subject = await newSubject(["the walrus", "a fee", "the walrus again"]);
    const warm = await answers(subject, ["walrus"]);
    m.services.indexes.close();
    const { filled } = m.services.indexes.stats();
    const all = await Promise.all(Array.from({ length: 6 }, () => answers(subject, ["walrus"])));
    expect(all).toEqual(all.map(() => warm));
    expect(m.services.indexes.stats().filled).toBe(filled + 1);
  });
});
