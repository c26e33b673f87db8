import { describe, expect, it } from "vitest";
import { refusedWith } from "../../../tests/support/refusal.js";
import { extract, subjectOf } from "./extract.js";
import { parseFieldMap } from "./field-map.js";
import type { Memory } from "./memory.js";

const memory = (more: Partial<Memory> = {}): Memory => ({
  place: "results 1",
  kind: "memory",
  sourceId: "mem0:1",
  subject: "ana",
  text: "Please contact me by phone. I prefer GERMAN ",
  record: { metadata: { language: " German", beta: true, age: 30 }, user_id: "ana" },
  ...more,
});

const LANGUAGES = { german: "de", English: "en" };
const map = (...fields: object[]) => parseFieldMap({ fields }, "map.yaml");

describe("mapping of memories to fields", () => {
  it.each([
    ["a path", { from: "metadata.language" }, [{ value: " German" }]],
    ["a path of a boolean", { from: "metadata.beta" }, [{ value: true }]],
    ["a path with names", { from: "metadata.language", values: LANGUAGES }, [{ value: "de" }]],
    ["a pattern's first group", { match: "contact me by (phone|mail)" }, [{ value: "phone" }]],
    ["a pattern's whole match", { match: "german|english", values: LANGUAGES }, [{ value: "de" }]],
    ["a pattern on a path", { from: "metadata.language", match: "G\\w+" }, [{ value: "German" }]],
    [
      "a condition that holds",
      { from: "user_id", where: { "metadata.age": 30 } },
      [{ value: "ana" }],
    ],
    ["a condition that doesn't", { from: "user_id", where: { "metadata.age": 31 } }, []],
    ["another kind", { from: "user_id", kind: "block" }, []],
    ["a path to nothing", { from: "metadata.nothing" }, []],
    ["a path into a prototype", { from: "constructor.name" }, []],
    ["a pattern on what isn't text", { from: "metadata.age", match: "3" }, []],
    [
      "a value without a name",
      { from: "metadata.age", values: LANGUAGES },
      [{ message: "the value isn't among the rule's `values`" }],
    ],
  ])("%s", (_, rule, expected) => {
    const fields = expected.map((one) => ({ fieldId: "pref", ...one }));
    expect(extract(memory(), map({ field_id: "pref", ...rule }))).toEqual(fields);
  });

  it("the first rule of a field that finds a value wins, a name that is missing gives way", () => {
    const rules = map(
      { field_id: "pref", from: "metadata.age", values: LANGUAGES },
      { field_id: "pref", from: "metadata.language", values: LANGUAGES },
      { field_id: "pref", from: "user_id" },
    );
    expect(extract(memory(), rules)).toEqual([{ fieldId: "pref", value: "de" }]);
  });

  it("only the first 4,000 characters are searched: the rest can't hide a fact or cost time", () => {
    const text = `${"x ".repeat(2_000)}by phone`;
    expect(extract(memory({ text }), map({ field_id: "pref", match: "by phone" }))).toEqual([]);
  });

  it("whose a memory is comes from the mapping's path, else from the export", () => {
    const rules = { field_id: "pref", from: "key" };
    const namespaced = memory({ subject: null, record: { namespace: ["users", "ben"] } });
    const by = (subject?: string) => parseFieldMap({ fields: [rules], subject }, "map.yaml");
    expect(subjectOf(namespaced, by("namespace.1"))).toBe("ben");
    expect(subjectOf(namespaced, by("namespace.7"))).toBeNull();
    expect(subjectOf(memory(), by())).toBe("ana");
  });

  it.each([
    ["no fields", {}, "fields"],
    ["an unknown key", { fields: [{ field_id: "a", from: "b", to: "c" }] }, "fields.0"],
    ["a broken pattern", { fields: [{ field_id: "a", match: "(" }] }, "fields.0.match"],
    ["a rule that looks nowhere", { fields: [{ field_id: "a" }] }, "fields.0"],
  ])("%s is refused with its place", async (_, value, field) => {
    const refused = refusedWith(Promise.resolve().then(() => parseFieldMap(value, "map.yaml")));
    expect((await refused).field).toBe(field);
  });
});
