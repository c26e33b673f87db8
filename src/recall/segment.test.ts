import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trustedId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import { analyseTurn } from "./analyse.js";
import { BLOCK_TURNS_MAX } from "./block.js";
import type { RecallFilter } from "./indexed-turn.js";
import { gapsBetween } from "./revisions.js";
import { decodeSegment, encodeSegment, type SegmentTurn, segmentOf } from "./segment.js";
import { sliceIntoSegments } from "./segment-slices.js";
import { SubjectIndex } from "./subject-index.js";
import { hashTerm } from "./term-hash.js";

const WORDS = ["pay", "fee", "card", "bank", "loan", "rate"];
const NOW = new Date("2026-03-01T00:00:00Z");

const anyTurn: fc.Arbitrary<SegmentTurn> = fc
  .record({
    id: fc.integer({ min: 0, max: 60 }),
    words: fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 5 }),
    count: fc.constantFrom(1, 2, 300),
    speaker: fc.constantFrom(null, "jane", "tom"),
    route: fc.constantFrom("r0", "r1", "r2"),
    minute: fc.integer({ min: 0, max: 9 }),
    isOver: fc.boolean(),
  })
  .map(({ id, words, count, speaker, route, minute, isOver }) => ({
    id: trustedId<"TurnId">(`t${id}`),
    sessionId: trustedId<"SessionId">(`s${id % 3}`),
    seq: id,
    workspaceId: trustedId<"WorkspaceId">("w"),
    routeId: trustedId<"RouteId">(route),
    speakerId: speaker === null ? null : trustedId<"SpeakerId">(speaker),
    observedAt: new Date(Date.UTC(2026, 0, 1, 0, minute)),
    evidenceUntil: isOver ? NOW : new Date("2027-01-01T00:00:00Z"),
    terms: analyseTurn({
      text: words.map((word) => `${word} `.repeat(count)).join("\n"),
      speaker,
      observedAt: new Date(Date.UTC(2026, 0, 1, 0, minute)),
    }),
  }));

const FILTER: RecallFilter = {
  workspace: trustedId<"WorkspaceId">("w"),
  routes: new Set([trustedId<"RouteId">("r0"), trustedId<"RouteId">("r1")]),
  now: NOW,
  limit: 20,
};

describe("segment", () => {
  it("S4-11 an index opened from segments answers as one that was built turn by turn", () => {
    const anyTurns = fc.array(anyTurn, { maxLength: 60, size: "max" });
    const anySizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 60, maxLength: 60 });
    const anyQuery = fc.uniqueArray(fc.constantFrom(...WORDS, "unknown"), { maxLength: 4 });
    fc.assert(
      fc.property(anyTurns, anySizes, anyQuery, (turns, sizes, words) => {
        const byTurn = new SubjectIndex();
        for (const turn of turns) byTurn.add(turn);
        const bySegment = new SubjectIndex();
        const left = [...turns];
        for (const size of sizes) {
          // A segment's own turns have one row each.
          const next = new Map(left.splice(0, size).map((turn) => [turn.id, turn]));
          if (size % 3 === 0) for (const turn of next.values()) bySegment.add(turn);
          else bySegment.addSegment(sent(segmentOf([...next.values()])));
        }
        expect(bySegment.size).toBe(byTurn.size);
        const query = { question: words.join(" "), speakerWeight: 1.6 };
        expect(bySegment.search(query, FILTER)).toEqual(byTurn.search(query, FILTER));
        for (const index of [byTurn, bySegment]) index.dropExpired(NOW);
        expect(bySegment.search(query, FILTER)).toEqual(byTurn.search(query, FILTER));
        expect(bySegment.size).toBe(byTurn.size);
      }),
    );
  });

  it("S4-11 bytes of another form aren't read, and the bytes around them neither", () => {
    const bytes = encodeSegment(segmentOf([]));
    const text = Buffer.from(bytes).toString("latin1").replace('"format":2', '"format":1');
    expect(decodeSegment(Buffer.from(text, "latin1"))).toBeNull();
    expect(decodeSegment(Buffer.concat([Buffer.of(7), bytes]).subarray(1))?.turns).toEqual([]);
  });

  it("S4-11 takes whole revisions until it is full, leaves out what can't be read, and covers everything else once", () => {
    const anyRow = fc.record({
      rows: fc.integer({ min: 1, max: 300 }),
      isBad: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    });
    const anyRows = fc.array(anyRow, { maxLength: 12 });
    fc.assert(
      fc.property(anyRows, fc.integer({ min: 0, max: 5 }), fc.boolean(), (groups, after, isCut) => {
        const rows = groups.flatMap(({ rows, isBad }, at) =>
          Array.from({ length: rows }, (_, n) => ({
            revision: after + 1 + at,
            isReadable: !(isBad && n === 0),
          })),
        );
        const slices = sliceIntoSegments(rows, after, isCut);
        for (const slice of slices) {
          expect(slice.rows.length).toBeGreaterThan(0);
          expect(slice.rows.length).toBeLessThanOrEqual(BLOCK_TURNS_MAX);
          const covered = rows.filter(
            ({ revision }) => revision > slice.after && revision <= slice.upto,
          );
          expect(slice.rows).toEqual(covered);
          expect(slice.rows.every(({ isReadable }) => isReadable)).toBe(true);
        }
        const last = rows.at(-1)?.revision ?? 0;
        if (isCut) expect(slices.every(({ upto }) => upto < last)).toBe(true);
        const gaps = gapsBetween(slices);
        const open = gaps.at(-1)?.after ?? 0;
        const behind = rows.filter(
          ({ revision }) => revision > open && (!isCut || revision < last),
        );
        if (behind.every(({ isReadable }) => isReadable))
          expect(behind.length).toBeLessThan(LIMITS.segmentTurnsMax);
      }),
    );
  });

  it("S4-11 hashes terms apart", () => {
    const hashes = new Set<number>();
    for (let n = 0; n < 200_000; n += 1) hashes.add(hashTerm(n.toString(36)));
    expect(hashes.size).toBe(200_000);
    expect([...hashes].filter((hash) => !Number.isSafeInteger(hash) || hash < 0)).toEqual([]);
  });
});

/** As it comes back from the database. */
function sent(segment: Parameters<typeof encodeSegment>[0]) {
  const decoded = decodeSegment(Buffer.from(encodeSegment(segment)));
  if (decoded === null) throw new Error("it is of today's form");
  return decoded;
}
