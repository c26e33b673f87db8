import { describe, expect, it } from "vitest";
import { langgraphItems } from "./langgraph.js";
import { lettaMemories } from "./letta.js";
import { mem0Memories } from "./mem0.js";
import { plainRecord } from "./records.js";

const MEM0 = {
  id: "m-1",
  memory: "Prefers German",
  user_id: "ana",
  metadata: { language: "German" },
  categories: ["personal_details"],
  created_at: "2025-08-12T10:00:00-07:00",
};

describe("mem0 exports", () => {
  it.each([
    ["what the library's get_all answers", { results: [MEM0], relations: [] }, "results 1"],
    ["a page of the platform", { count: 1, next: null, results: [MEM0] }, "results 1"],
    ["pages in a list", [{ results: [MEM0] }], "results 1"],
    ["the plain list of older versions", [MEM0], "memory 1"],
  ])("%s is one memory a row", (_, value, place) => {
    expect(mem0Memories(value)).toEqual([
      {
        place,
        kind: "memory",
        sourceId: "mem0:m-1",
        subject: "ana",
        text: "Prefers German",
        record: MEM0,
      },
    ]);
  });

  it.each([
    ["no list", { memories: [] }, "results"],
    ["a row that is text", ["hello"], "memory"],
    ["a row without its memory", [{ id: "x" }], "memory"],
  ])("%s is said without its text", (_, value, field) => {
    expect(mem0Memories(value)).toMatchObject([{ field }]);
  });

  it("without an id the content is the id, in any order of keys", () => {
    const [a, b, c] = mem0Memories([
      { memory: "x", metadata: { a: 1, b: 2 } },
      { metadata: { b: 2, a: 1 }, memory: "x" },
      { memory: "y" },
    ]).map((parsed) => ("sourceId" in parsed ? parsed.sourceId : null));
    expect(a).toBe(b);
    expect(a).not.toBe(c);
  });
});

describe("LangGraph store dumps", () => {
  const dates = { created_at: "2025-01-01T00:00:00", updated_at: "2025-01-01T00:00:00" };
  const item = { namespace: ["users", "ana"], key: "k1", value: { text: "Likes mail" }, ...dates };

  it.each([
    ["items of item.dict()", [item]],
    ["items under `items`", { items: [item] }],
    ["rows of the table", [{ prefix: "users.ana", key: "k1", value: { text: "Likes mail" } }]],
  ])("%s keep namespace, key and value", (_, value) => {
    expect(langgraphItems(value)).toMatchObject([
      {
        place: "item 1",
        kind: "item",
        sourceId: 'langgraph:["users","ana","k1"]',
        subject: null,
        text: "Likes mail",
        record: { namespace: ["users", "ana"], key: "k1", value: { text: "Likes mail" } },
      },
    ]);
  });

  it("the same key in two namespaces is two sources", () => {
    const other = { ...item, namespace: ["users", "ben"] };
    const ids = langgraphItems([item, other]).map((one) => "sourceId" in one && one.sourceId);
    expect(new Set(ids).size).toBe(2);
  });

  it("prose of a memory tool's nested content is found", () => {
    const value = { kind: "Memory", content: { content: "Speaks Greek" } };
    expect(langgraphItems([{ ...item, value }])).toMatchObject([{ text: "Speaks Greek" }]);
  });

  it.each([
    ["no list", {}, "items"],
    ["a namespace of numbers", [{ ...item, namespace: [1] }], "namespace"],
    ["a value that is text", [{ ...item, value: "x" }], "value"],
  ])("%s is said without its text", (_, value, field) => {
    expect(langgraphItems(value)).toMatchObject([{ field }]);
  });
});

describe("Letta agent files and archives", () => {
  const human = { id: "block-0", label: "human", value: "Name: Ana", limit: 5000 };
  const passage = { id: "passage-7", text: "Ana moved to Graz", tags: ["home"], embedding: [0.1] };

  it("blocks and passages are taken, messages are not", () => {
    const file = { agents: [{ messages: [{ content: "hi" }] }], blocks: [human], tools: [] };
    expect(lettaMemories(file)).toMatchObject([
      { place: "blocks 1", kind: "block", text: "Name: Ana", record: human },
    ]);
    expect(lettaMemories({ core_memory: [human], messages: [{ text: "hi" }] })).toMatchObject([
      { place: "core_memory 1", kind: "block" },
    ]);
    expect(lettaMemories([passage])).toMatchObject([
      { place: "entry 1", kind: "passage", sourceId: "letta:passage-7", text: "Ana moved to Graz" },
    ]);
  });

  it("a vector is not carried along: it would be a copy of the text", () => {
    expect(JSON.stringify(lettaMemories({ passages: [passage] }))).not.toContain("embedding");
  });

  it("agent files number their blocks anew, so a block is known by its content", () => {
    const ids = [human, { ...human, id: "block-3" }, { ...human, value: "Name: Ben" }].map(
      (block) => lettaMemories([block]).map((one) => "sourceId" in one && one.sourceId)[0],
    );
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).not.toBe(ids[2]);
  });

  it.each([
    ["no agent file", { hello: 1 }, "blocks"],
    ["text", "hello", "file"],
    ["a block of no text", [{ label: "human", value: 5 }], "value"],
    ["a passage of no text", [{ id: "p" }], "text"],
  ])("%s is said without its text", (_, value, field) => {
    expect(lettaMemories(value)).toMatchObject([{ field }]);
  });
});

describe("plain records", () => {
  it("any object is a record, with id, subject and text where it has them", () => {
    const record = { id: 7, subject: "ana", text: "x", language: "de" };
    expect(plainRecord(record, "line 1")).toEqual({
      place: "line 1",
      kind: "record",
      sourceId: "jsonl:7",
      subject: "ana",
      text: "x",
      record,
    });
    expect(plainRecord([1], "line 2")).toMatchObject({ field: "record" });
  });
});
