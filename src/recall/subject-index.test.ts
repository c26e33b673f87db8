import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trustedId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { IndexedTurn, RecallFilter } from "./indexed-turn.js";
import { SubjectIndex } from "./subject-index.js";
import type { Terms } from "./terms.js";
import { isPiece, pieceTerm } from "./terms.js";

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

function termsOf(words: readonly string[]): Terms {
  const list = [...new Set(words)];
  const counts = list.map((term) => words.filter((word) => word === term).length);
  return { list, counts, length: words.length };
}

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

const WORDS = ["pay", "fee", "card", "bank", pieceTerm("card"), "loan", "rate"];

const anyTurn: fc.Arbitrary<IndexedTurn> = fc
  .record({
    id: fc.integer({ min: 0, max: 30 }),
    words: fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }),
    workspaceId: fc.constantFrom("w0", "w0", "w1"),
    routeId: fc.constantFrom("r0", "r1", "r2"),
    day: fc.integer({ min: 1, max: 5 }),
    seq: fc.integer({ min: 1, max: 3 }),
    evidenceUntil: fc.constantFrom(null, NOW, "2026-03-01T00:00:00.001Z", "2026-02-01T00:00:00Z"),
  })
  .map(({ id, words, workspaceId, routeId, day, seq, evidenceUntil }) =>
    turn(`t${id}`, words, {
      workspaceId: workspace(workspaceId),
      routeId: route(routeId),
      observedAt: new Date(Date.UTC(2026, 0, day)),
      seq,
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

const anyQuery = fc.array(fc.constantFrom(...WORDS, "unknown"), { maxLength: 4 }).map(termsOf);

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

function naiveBm25(turns: readonly IndexedTurn[], query: Terms): ReadonlyMap<string, number> {
  const lengthMean = turns.reduce((sum, { terms }) => sum + terms.length, 0) / turns.length;
  const count = ({ terms }: IndexedTurn, term: string) =>
    terms.counts[terms.list.indexOf(term)] ?? 0;
  const scores = new Map<string, number>();
  for (const one of turns) {
    for (const term of query.list) {
      const times = count(one, term);
      if (times === 0) continue;
      const having = turns.filter((other) => count(other, term) > 0).length;
      const idf = Math.log(1 + (turns.length - having + 0.5) / (having + 0.5));
      const norm = 0.9 * (1 - 0.4 + (0.4 * one.terms.length) / lengthMean);
      const part = (idf * times * 1.9) / (times + norm);
      scores.set(one.id, (scores.get(one.id) ?? 0) + part * (isPiece(term) ? 0.4 : 1));
    }
  }
  return scores;
}

const newestFirst = (a: IndexedTurn, b: IndexedTurn): number =>
  b.observedAt.getTime() - a.observedAt.getTime() || b.seq - a.seq || (a.id < b.id ? 1 : -1);

describe("subject index", () => {
  it("S5-01 S1-20 never gives a turn of another workspace, of a route off the allowlist, or past its evidence clock", () => {
    fc.assert(
      fc.property(anySteps, anyQuery, (steps, query) => {
        const eligible = new Set(
          survivors(steps)
            .filter(isEligible)
            .map(({ id }) => id),
        );
        const { hits } = replay(steps).search(query, { ...FILTER, limit: 50 });
        for (const { id } of hits) expect(eligible).toContain(id);
        if (query.list.length === 0) expect(hits).toHaveLength(eligible.size);
      }),
    );
  });

  it("S5-03 what the caller may not recall changes nothing: order, scores and counts are those without it", () => {
    fc.assert(
      fc.property(anySteps, anyQuery, (steps, query) => {
        const alone = replay(
          survivors(steps)
            .filter(isEligible)
            .map((added) => ({ added })),
        );
        expect(replay(steps).search(query, FILTER)).toEqual(alone.search(query, FILTER));
      }),
    );
  });

  it("S4-11 ranks as a plain BM25 does, newer first among equals", () => {
    fc.assert(
      fc.property(anySteps, anyQuery, (steps, query) => {
        fc.pre(query.list.length > 0);
        const eligible = survivors(steps).filter(isEligible);
        const expected = naiveBm25(eligible, query);
        const { hits, matched, coverage, fallback } = replay(steps).search(query, FILTER);
        expect(fallback).toBeNull();
        expect(matched).toBe(expected.size);
        expect(hits).toHaveLength(Math.min(matched, FILTER.limit));
        expect(coverage).toEqual({
          searched: eligible.length,
          of: eligible.length,
          capped: false,
          pending: 0,
        });
        for (const { id, score } of hits) expect(score).toBeCloseTo(expected.get(id) ?? 0, 9);
        const ranked = hits.map((hit) => ({
          ...hit,
          of: eligible.find(({ id }) => id === hit.id),
        }));
        for (const [at, next] of ranked.slice(1).entries()) {
          const previous = ranked[at];
          expect(previous?.score).toBeGreaterThanOrEqual(next.score);
          if (previous?.of && next.of && previous.score === next.score) {
            expect(newestFirst(previous.of, next.of)).toBeLessThan(0);
          }
        }
        const weakest = hits.at(-1)?.score ?? 0;
        const better = [...expected.values()].filter((score) => score > weakest + 1e-9);
        expect(better.length).toBeLessThan(Math.max(1, hits.length));
      }),
    );
  });

  it("S4-11 equal turns come newest first: by time, then by place in the session, then by id", () => {
    const day = (n: number) => new Date(Date.UTC(2026, 0, n));
    const index = replay([
      { added: turn("old", ["fee"], { observedAt: day(1), seq: 9 }) },
      { added: turn("a", ["fee"], { observedAt: day(2), seq: 1 }) },
      { added: turn("b", ["fee"], { observedAt: day(2), seq: 1 }) },
      { added: turn("last", ["fee"], { observedAt: day(2), seq: 2 }) },
    ]);
    const { hits } = index.search(termsOf(["fee"]), FILTER);
    expect(hits.map(({ id }) => id)).toEqual(["last", "b", "a", "old"]);
  });

  it("S4-12 a question without terms gives the newest eligible turns and says so", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const { hits, fallback } = replay(steps).search(termsOf([]), FILTER);
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
          const { hits, coverage } = index.search(termsOf([]), { ...FILTER, limit: 50 });
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

  it("S4-11 a limit of 0 gives no hits and still counts the matches", () => {
    const index = replay([{ added: turn("a", ["fee"]) }]);
    const { hits, matched } = index.search(termsOf(["fee"]), { ...FILTER, limit: 0 });
    expect({ hits, matched }).toEqual({ hits: [], matched: 1 });
  });

  it("S4-11 of a question with too many terms the rarest are matched", () => {
    const common = Array.from({ length: LIMITS.queryTermsMax }, (_, n) => `common${n}`);
    const index = replay([
      { added: turn("a", common) },
      { added: turn("b", [...common, "common0"]) },
      { added: turn("c", ["rare"]) },
    ]);
    const { hits } = index.search(termsOf([...common, "rare"]), FILTER);
    expect(hits.map(({ id }) => id)).toContain("c");
  });

  it("S4-12 counts as pending what the caller may recall and isn't searchable yet, until it is or its clock ends", () => {
    const index = replay([{ added: turn("a", ["fee"]) }]);
    const pendingOf = () => index.search(termsOf(["fee"]), FILTER).coverage;
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
      fc.property(anySteps, anyQuery, (steps, query) => {
        const index = replay(steps);
        const before = index.search(query, FILTER);
        index.dropExpired(NOW);
        expect(index.search(query, FILTER)).toEqual(before);
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
