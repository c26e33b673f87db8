import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trustedId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { IndexedTurn, RecallFilter } from "./indexed-turn.js";
import type { Asked } from "./rank.js";
import { SubjectIndex } from "./subject-index.js";
import { hashTerm } from "./term-hash.js";
import { languageTerm, pieceTerm, QUESTION_TERM, speakerTerm, type Terms } from "./terms.js";

const NOW = new Date("2026-03-01T00:00:00Z");
const workspace = trustedId<"WorkspaceId">;
const route = trustedId<"RouteId">;
const turnId = trustedId<"TurnId">;

const FILTER: RecallFilter = {
  workspace: workspace("w0"),
  routes: new Set([route("r0"), route("r1")]),
  now: NOW,
  limit: 10,
};

/** Terms as they stand in a turn whose language is unknown: words are found whole and by their pieces. */
function termsOf(words: readonly string[]): Terms {
  const all = [languageTerm(null), ...words];
  const list = [...new Set(all)];
  const counts = list.map((term) => all.filter((word) => word === term).length);
  return { list, counts, length: words.length, said: hashTerm(words.join(" ")) };
}

const ask = (...words: readonly string[]): Asked => ({
  question: words.join(" "),
  speakerWeight: 1.6,
});

function turn(id: string, words: readonly string[], over: Partial<IndexedTurn> = {}): IndexedTurn {
  return {
    id: turnId(id),
    sessionId: trustedId<"SessionId">("s"),
    seq: 1,
    workspaceId: workspace("w0"),
    routeId: route("r0"),
    speakerId: null,
    observedAt: NOW,
    evidenceUntil: new Date("2027-01-01T00:00:00Z"),
    terms: termsOf(words),
    ...over,
  };
}

const WORDS = ["pay", "fee", "card", "bank", "loan", "rate"];
const TERMS = [...WORDS, pieceTerm("card"), speakerTerm("bank"), QUESTION_TERM];

const anyTurn: fc.Arbitrary<IndexedTurn> = fc
  .record({
    id: fc.integer({ min: 0, max: 30 }),
    words: fc.array(fc.constantFrom(...TERMS), { maxLength: 6 }),
    session: fc.constantFrom("s0", "s0", "s1"),
    workspaceId: fc.constantFrom("w0", "w0", "w1"),
    routeId: fc.constantFrom("r0", "r1", "r2"),
    day: fc.integer({ min: 1, max: 5 }),
    seq: fc.integer({ min: 1, max: 3 }),
    evidenceUntil: fc.constantFrom(null, NOW, "2026-03-01T00:00:00.001Z", "2026-02-01T00:00:00Z"),
  })
  .map(({ id, words, session, workspaceId, routeId, day, seq, evidenceUntil }) =>
    turn(`t${id}`, words, {
      workspaceId: workspace(workspaceId),
      routeId: route(routeId),
      observedAt: new Date(Date.UTC(2026, 0, day)),
      seq,
      sessionId: trustedId<"SessionId">(session),
      evidenceUntil: evidenceUntil === null ? null : new Date(evidenceUntil),
    }),
  );

const anyStep = fc.oneof(
  { weight: 4, arbitrary: anyTurn.map((added) => ({ added })) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 0, max: 30 }).map((n) => ({ removed: turnId(`t${n}`) })),
  },
);
const anySteps = fc.array(anyStep, { maxLength: 60, size: "max" });
type Step = { readonly added: IndexedTurn } | { readonly removed: IndexedTurn["id"] };

const anyQuestion = fc
  .array(fc.constantFrom(...WORDS, "unknown"), { minLength: 1, maxLength: 4 })
  .map((words) => ask(...words));
/** Names nothing to look for. */
const ASK_NOTHING = ask("what", "is", "it");

function replay(steps: readonly Step[], index = new SubjectIndex()): SubjectIndex {
  for (const step of steps) {
    if ("added" in step) index.add(step.added);
    else index.remove(step.removed);
  }
  return index;
}

/** What is there after the steps, found the plain way. */
function survivors(steps: readonly Step[]): readonly IndexedTurn[] {
  const left = new Map<string, IndexedTurn>();
  for (const step of steps) {
    if ("added" in step) left.set(step.added.id, step.added);
    else left.delete(step.removed);
  }
  return [...left.values()];
}

function isEligible(it: IndexedTurn): boolean {
  return (
    it.workspaceId === FILTER.workspace &&
    FILTER.routes.has(it.routeId) &&
    it.evidenceUntil !== null &&
    it.evidenceUntil > NOW
  );
}

interface Naive {
  readonly turn: IndexedTurn;
  readonly words: number;
  readonly score: number;
}

const countOf = ({ terms }: IndexedTurn, term: string): number =>
  terms.counts[terms.list.indexOf(term)] ?? 0;

/** How often a word stands in a turn; less than once where it has only the word's piece. */
function standsIn(turn: IndexedTurn, word: string): number {
  const whole = countOf(turn, word);
  const hasPiece = word.length === 4 && countOf(turn, pieceTerm(word)) > 0;
  return whole === 0 && hasPiece ? 0.7 : whole;
}

function naiveBm25(turns: readonly IndexedTurn[], words: readonly string[], one: IndexedTurn) {
  const lengthMean = turns.reduce((sum, { terms }) => sum + terms.length, 0) / turns.length || 1;
  return words.reduce((score, word) => {
    const times = standsIn(one, word);
    const having = turns.reduce((sum, other) => sum + Math.min(1, standsIn(other, word)), 0);
    const idf = Math.log(1 + (turns.length - having + 0.5) / (having + 0.5));
    const norm = 0.9 * (1 - 0.4 + (0.4 * one.terms.length) / lengthMean);
    return score + (idf * times * 1.9) / (times + norm);
  }, 0);
}

/** The ranking, found the plain way: each turn's own words, and what stands around it. */
function naiveRanking(turns: readonly IndexedTurn[], { question }: Asked): readonly Naive[] {
  const asked = [...new Set(question.split(" "))];
  const words = new Map(turns.map((one) => [one, naiveBm25(turns, asked, one)]));
  const own = (one: IndexedTurn | undefined) => (one && words.get(one)) ?? 0;
  return turns.flatMap((one) => {
    const session = turns
      .filter((other) => other.sessionId === one.sessionId)
      .sort((a, b) => a.seq - b.seq || newestFirst(b, a));
    const [previous, next] = [-1, 1].map((by) => session[session.indexOf(one) + by]);
    if (Math.max(own(one), own(previous), own(next)) === 0) return [];
    const best = Math.max(...session.map(own));
    const shares = own(one) + 0.3 * own(previous) + 0.15 * own(next) + 0.3 * best;
    const isNamed = asked.some((word) => countOf(one, speakerTerm(word)) > 0);
    const asks = countOf(one, QUESTION_TERM) > 0;
    return [{ turn: one, words: own(one), score: shares * (isNamed ? 1.6 : 1) * (asks ? 0.9 : 1) }];
  });
}

const newestFirst = (a: IndexedTurn, b: IndexedTurn): number =>
  b.observedAt.getTime() - a.observedAt.getTime() || b.seq - a.seq || (a.id < b.id ? 1 : -1);

describe("subject index", () => {
  it("S5-01 S1-20 never gives a turn of another workspace, of a route off the allowlist, or past its evidence clock", () => {
    fc.assert(
      fc.property(anySteps, anyQuestion, (steps, asked) => {
        const eligible = new Set(
          survivors(steps)
            .filter(isEligible)
            .map(({ id }) => id),
        );
        const { hits } = replay(steps).search(asked, { ...FILTER, limit: 50 });
        for (const { id } of hits) expect(eligible).toContain(id);
        const all = replay(steps).search(ASK_NOTHING, { ...FILTER, limit: 50 }).hits;
        expect(new Set(all.map(({ id }) => id))).toEqual(eligible);
      }),
    );
  });

  it("S5-03 what the caller may not recall changes nothing: order, scores and counts are those without it", () => {
    fc.assert(
      fc.property(anySteps, anyQuestion, (steps, asked) => {
        const alone = replay(
          survivors(steps)
            .filter(isEligible)
            .map((added) => ({ added })),
        );
        expect(replay(steps).search(asked, FILTER)).toEqual(alone.search(asked, FILTER));
      }),
    );
  });

  it("S4-11 ranks by the words of a turn and by those around it, newer first among equals", () => {
    fc.assert(
      fc.property(anySteps, anyQuestion, (steps, asked) => {
        const eligible = survivors(steps).filter(isEligible);
        const expected = naiveRanking(eligible, asked);
        const { hits, coverage, fallback } = replay(steps).search(asked, FILTER);
        expect(fallback).toBeNull();
        expect(hits).toHaveLength(Math.min(expected.length, FILTER.limit));
        expect(coverage).toEqual({
          searched: eligible.length,
          of: eligible.length,
          capped: false,
          pending: 0,
        });
        const byId = new Map(expected.map((naive) => [naive.turn.id, naive]));
        for (const { id, score, parts } of hits) {
          expect(score).toBeCloseTo(byId.get(id)?.score ?? 0, 9);
          expect(parts.words).toBeCloseTo(byId.get(id)?.words ?? 0, 9);
        }
        for (const [at, next] of hits.slice(1).entries()) {
          const previous = hits[at];
          expect(previous?.score).toBeGreaterThanOrEqual(next.score);
          const [one, other] = [previous?.id ?? next.id, next.id].map((id) => byId.get(id)?.turn);
          if (one && other && previous?.score === next.score)
            expect(newestFirst(one, other)).toBeLessThan(0);
        }
        const weakest = hits.at(-1)?.score ?? 0;
        const better = expected.filter(({ score }) => score > weakest + 1e-9);
        expect(better.length).toBeLessThan(Math.max(1, hits.length));
      }),
    );
  });

  it("S4-11 equal turns come newest first: by time, then by place in the session, then by id", () => {
    const day = (n: number) => new Date(Date.UTC(2026, 0, n));
    const apart = (id: string, n: number, seq: number) => ({
      added: turn(id, ["fee"], {
        observedAt: day(n),
        seq,
        sessionId: trustedId<"SessionId">(id),
      }),
    });
    const index = replay([
      apart("old", 1, 9),
      apart("a", 2, 1),
      apart("b", 2, 1),
      apart("last", 2, 2),
    ]);
    const { hits } = index.search(ask("fee"), FILTER);
    expect(hits.map(({ id }) => id)).toEqual(["last", "b", "a", "old"]);
  });

  it("S4-12 a question without terms gives the newest eligible turns and says so", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const { hits, fallback } = replay(steps).search(ASK_NOTHING, FILTER);
        const expected = [...survivors(steps).filter(isEligible)].sort(newestFirst).slice(0, 10);
        expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        expect(fallback).toBe("recent");
      }),
    );
  });

  it("S4-11 keeps the newest turns of a subject with too many, and says that it capped", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyTurn, { maxLength: 31, size: "max", selector: ({ id }) => id }),
        (turns) => {
          const index = replay(
            turns.map((added) => ({ added })),
            new SubjectIndex(16),
          );
          const kept = turns
            .filter(({ evidenceUntil }) => evidenceUntil !== null)
            .sort(newestFirst);
          expect(index.size).toBeLessThanOrEqual(16);
          expect(index.size).toBeGreaterThanOrEqual(Math.min(kept.length, 15));
          const newest = kept.slice(0, index.size);
          const { hits, coverage } = index.search(ASK_NOTHING, { ...FILTER, limit: 50 });
          expect(hits.map(({ id }) => id)).toEqual(newest.filter(isEligible).map(({ id }) => id));
          const left = kept
            .slice(index.size)
            .filter(
              ({ workspaceId, routeId }) =>
                workspaceId === FILTER.workspace && FILTER.routes.has(routeId),
            );
          expect(coverage).toEqual({
            searched: hits.length,
            of: hits.length + left.length,
            capped: left.length > 0,
            pending: 0,
          });
        },
      ),
    );
  });

  it("S4-11 a limit of 0 gives no hits and still counts what was searched", () => {
    const index = replay([{ added: turn("a", ["fee"]) }]);
    const { hits, coverage } = index.search(ask("fee"), { ...FILTER, limit: 0 });
    expect({ hits, searched: coverage.searched }).toEqual({ hits: [], searched: 1 });
  });

  it("S4-11 of a question with too many terms the rarest are matched", () => {
    const common = Array.from({ length: LIMITS.queryTermsMax }, (_, n) => `common${n}`);
    const index = replay([
      { added: turn("a", common) },
      { added: turn("b", [...common, "common0"]) },
      { added: turn("c", ["rare"]) },
    ]);
    const { hits } = index.search(ask(...common, "rare"), FILTER);
    expect(hits.map(({ id }) => id)).toContain("c");
  });

  it("S4-12 counts as pending what the caller may recall and isn't searchable yet, until it is or its clock ends", () => {
    const index = replay([{ added: turn("a", ["fee"]) }]);
    const pendingOf = () => index.search(ask("fee"), FILTER).coverage;
    index.addPending(turn("b", [], { routeId: route("r2") }));
    index.addPending(turn("c", [], { workspaceId: workspace("w1") }));
    index.addPending(turn("d", [], { evidenceUntil: NOW }));
    expect(pendingOf()).toEqual({ searched: 1, of: 1, capped: false, pending: 0 });
    index.addPending(turn("e", []));
    index.addPending(turn("f", []));
    expect(pendingOf()).toEqual({ searched: 1, of: 3, capped: false, pending: 2 });
    index.add(turn("e", ["fee"]));
    index.remove(turnId("f"));
    expect(pendingOf()).toEqual({ searched: 2, of: 2, capped: false, pending: 0 });
    index.addPending(turn("a", []));
    expect(pendingOf()).toEqual({ searched: 1, of: 2, capped: false, pending: 1 });
    const { evidenceUntil } = turn("a", []);
    index.dropExpired(evidenceUntil ?? NOW);
    expect(pendingOf()).toEqual({ searched: 0, of: 0, capped: false, pending: 0 });
  });

  it("S4-29 lets go of turns past their evidence clock, in steps, and of nothing else", () => {
    fc.assert(
      fc.property(anySteps, anyQuestion, (steps, asked) => {
        const index = replay(steps);
        const before = index.search(asked, FILTER);
        index.dropExpired(NOW);
        expect(index.search(asked, FILTER)).toEqual(before);
        expect(index.size).toBe(
          survivors(steps).filter((it) => it.evidenceUntil !== null && it.evidenceUntil > NOW)
            .length,
        );
      }),
    );
    const index = new SubjectIndex();
    for (let n = 0; n < 5_000; n += 1)
      index.add(turn(`t${n}`, [`word${n}`], { evidenceUntil: NOW }));
    const full = index.bytes;
    index.dropExpired(NOW);
    expect(index.size).toBeGreaterThan(0);
    for (let step = 0; step < 10; step += 1) index.dropExpired(NOW);
    expect(index.size).toBe(0);
    expect(index.bytes).toBeLessThan(full / 2);
  });

  it("S5-08 a removed turn's terms leave memory with the next tidying", () => {
    const index = new SubjectIndex();
    const empty = index.bytes;
    for (let n = 0; n < 100; n += 1) index.add(turn(`t${n}`, [`word${n}`]));
    const full = index.bytes;
    for (let n = 0; n < 100; n += 1) expect(index.remove(turnId(`t${n}`))).toBe(true);
    expect(index.remove(turnId("t0"))).toBe(false);
    expect(index.size).toBe(0);
    expect(index.bytes).toBeLessThan(empty + (full - empty) / 2);
  });
});
