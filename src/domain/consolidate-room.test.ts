import { describe, expect, it } from "vitest";
import { withinRoom } from "./consolidate-room.js";
import { trustedId } from "./ids.js";
import { LIMITS } from "./limits.js";
import type { ModelObservation } from "./user-model.js";

const observation = (number: number): ModelObservation => ({
  id: trustedId<"ObservationId">(`o${number}`),
  dimension: trustedId<"DimensionId">("goals"),
  text: `${number} `.repeat(20),
  observedAt: new Date(Date.UTC(2026, 0, 1 + number)),
  isSafety: false,
  supersededBy: null,
});
const many = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => observation(from + index));

describe("what one question of consolidation has room for", () => {
  it("S4-06 is bounded, what is new before what stands behind, the newest of each first, and what is left out is counted", () => {
    const source = { sections: [], earlier: many(1_000, 250), fresh: many(2_000, 50), leftOut: 0 };
    const { earlier, fresh, leftOut } = withinRoom(source);
    expect(fresh).toEqual(source.fresh);
    expect(earlier).toEqual(source.earlier.slice(-earlier.length));
    expect(earlier.length).toBeGreaterThan(0);
    expect(leftOut).toBe(250 - earlier.length);
    expect(JSON.stringify([...earlier, ...fresh]).length).toBeLessThan(LIMITS.consolidateCharsMax);
    expect(withinRoom({ ...source, fresh: many(2_000, 300) }).earlier).toEqual([]);
  });
});
