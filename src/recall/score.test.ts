import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trustedId } from "../domain/ids.js";
import { firstOf } from "./first-of.js";
import { Postings } from "./postings.js";
import { type Scores, scoreWords } from "./score.js";
import type { Searched } from "./searched.js";
import { TurnTable } from "./turn-table.js";
import type { Word } from "./word.js";

const NOW = new Date("2026-03-01T00:00:00Z");
const WORKSPACE = trustedId<"WorkspaceId">("w");
const ROUTE = trustedId<"RouteId">("r");
const OTHER = trustedId<"RouteId">("other");
const WANTED = 3;

interface Said {
  /** Numbers of the words in it, repeats included. */
  readonly words: readonly number[];
  readonly session: number;
  readonly isOthers: boolean;
}

/** The higher a word's number, the more turns have it. */
const anySaid: fc.Arbitrary<Said> = fc.record({
  words: fc.array(
    fc.double({ min: 0, max: 0.999, noNaN: true }).map((share) => Math.floor(8 * share ** 0.2)),
    { maxLength: 6 },
  ),
  session: fc.integer({ min: 0, max: 3 }),
  isOthers: fc.boolean(),
});

function searchedIn(all: readonly Said[]): Searched {
  const turns = new TurnTable();
  const postings = new Postings();
  for (const [seq, { words, session, isOthers }] of all.entries()) {
    const counts = new Map<string, number>();
    for (const word of words) counts.set(`w${word}`, (counts.get(`w${word}`) ?? 0) + 1);
    turns.put({
      id: trustedId<"TurnId">(String(seq)),
      workspaceId: WORKSPACE,
      routeId: isOthers ? OTHER : ROUTE,
      sessionId: trustedId<"SessionId">(String(session)),
      speakerId: null,
      seq,
      observedAt: NOW,
      evidenceUntil: new Date(NOW.getTime() + 1),
      length: words.length,
      said: seq,
    });
    const [list, times] = [[...counts.keys()], [...counts.values()]];
    postings.add({ list, counts: times, length: words.length, said: seq });
  }
  const filter = { workspace: WORKSPACE, routes: new Set([ROUTE]), now: NOW, limit: 0 };
  return { eligible: turns.eligible(filter), turns, postings, likeness: null };
}

const wordOf = (form: string): Word => ({ forms: [form], exact: null, pieces: [] });

/** What the second step sees of the first one. */
function seen({ turns, eligible: { flags } }: Searched, { scores, matched, possible }: Scores) {
  const scoreAt = (slot: number) => scores[slot] ?? 0;
  const best = firstOf(
    matched,
    WANTED,
    (a, b) => scoreAt(b) - scoreAt(a) || turns.newestFirst(a, b),
  );
  return {
    possible,
    best: best.map((slot) => ({
      slot,
      score: scoreAt(slot),
      beside: [-1, 1].map((step) => scoreAt(turns.beside(slot, step as -1 | 1, flags))),
      session: Math.max(
        ...matched.filter((other) => turns.session(other) === turns.session(slot)).map(scoreAt),
      ),
    })),
  };
}

describe("scores of words", () => {
  it("S4-11 leaving turns out that common words can't lift changes nothing of the best and of what stands beside them", () => {
    let leftOut = 0;
    fc.assert(
      fc.property(
        fc.array(anySaid, { minLength: 20, maxLength: 120, size: "max" }),
        fc.uniqueArray(fc.integer({ min: 0, max: 8 }), { minLength: 2, maxLength: 5 }),
        (all, asked) => {
          const searched = searchedIn(all);
          const words = asked.map((word) => wordOf(`w${word}`));
          const whole = scoreWords(searched, words, Number.POSITIVE_INFINITY);
          const bounded = scoreWords(searched, words, WANTED);
          expect(seen(searched, bounded)).toEqual(seen(searched, whole));
          leftOut += whole.matched.length - bounded.matched.length;
        },
      ),
      { seed: 11 },
    );
    expect(leftOut).toBeGreaterThan(20);
  });
});
