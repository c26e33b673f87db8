import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeInput, projectSlots } from "./merge.js";

const inputSchema = { properties: { account: {}, fee: {}, goal_key: {}, notes: {} } };

describe("input of the next capability", () => {
  it("S3-07 is the goal and the slot keys on its schema, nothing else", () => {
    const slots = [
      { stage_id: "fetch", value: { account: "A-1", fee: 12, internal: "not on the schema" } },
      { stage_id: "list", value: ["no", "keys"] },
      { stage_id: "text", value: "no keys" },
    ];
    expect(mergeInput({ goal: { ask: "why" }, slots, inputSchema })).toEqual({
      ask: "why",
      account: "A-1",
      fee: 12,
    });
    expect(mergeInput({ goal: { ask: "why" }, slots })).toEqual({ ask: "why" });
  });

  it("S3-07 the goal wins a collision, then notes, then the later stage", () => {
    const slots = [
      { stage_id: "first", value: { fee: 1, goal_key: "slot", notes: "slot" } },
      { stage_id: "second", value: { fee: 2 } },
    ];
    expect(mergeInput({ goal: { goal_key: "goal" }, slots, inputSchema, notes: ["n"] })).toEqual({
      fee: 2,
      goal_key: "goal",
      notes: ["n"],
    });
    expect(mergeInput({ goal: { notes: "goal" }, slots: [], notes: ["n"] })).toEqual({
      notes: "goal",
    });
  });

  it("S3-06 carries notes only where they are given", () => {
    expect(mergeInput({ goal: {}, slots: [], notes: ["n"] })).toEqual({ notes: ["n"] });
    expect(mergeInput({ goal: {}, slots: [] })).toEqual({});
  });

  it("S3-11 a child gets the named slots only, and a name without a slot is refused", () => {
    const slots = [
      { stage_id: "a", value: { x: 1 } },
      { stage_id: "b", value: { y: 2 } },
    ];
    expect(projectSlots(slots, ["b"])).toEqual({ b: { y: 2 } });
    expect(projectSlots(slots, [])).toEqual({});
    for (const name of ["c", "constructor", "__proto__", "*"]) {
      expect(() => projectSlots(slots, ["a", name])).toThrow(
        expect.objectContaining({ kind: "invalid_input", field: "slots.1" }),
      );
    }
  });

  it("S3-07 S3-11 property: no key of a goal, a slot or a schema reaches a prototype", () => {
    const key = fc.constantFrom("__proto__", "constructor", "prototype", "toString", "fee", "x");
    const hostile = fc
      .array(fc.tuple(key, fc.constantFrom('{"polluted":true}', "1")))
      .map((entries) => {
        return JSON.parse(
          `{${entries.map(([name, value]) => `"${name}":${value}`).join(",")}}`,
        ) as Record<string, unknown>;
      });
    fc.assert(
      fc.property(hostile, hostile, hostile, key, (goal, value, properties, stage_id) => {
        const merged = mergeInput({
          goal,
          slots: [{ stage_id, value }],
          inputSchema: { properties },
        });
        for (const made of [
          merged,
          projectSlots([{ stage_id, value }], [stage_id]),
          { ...merged },
          Object.assign({}, merged),
        ]) {
          expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
          expect(Object.hasOwn(made, "__proto__")).toBe(false);
          expect("polluted" in made).toBe(false);
        }
        for (const name of Object.keys(merged))
          expect(Object.hasOwn(goal, name) || Object.hasOwn(properties, name)).toBe(true);
        expect("polluted" in {}).toBe(false);
      }),
    );
  });
});
