import { describe, expect, it } from "vitest";
import { trustedId } from "./ids.js";
import { EMPTY_PROFILE } from "./profile.js";
import { parseRoute } from "./route-rules.js";

const ID = trustedId<"RouteId">("fee_explain");
const PROFILE = {
  conversation: "session",
  working: "session",
  long_term: "retrieve_only",
  ttl_hours: 24,
  isolation: ["tenant", "user", "session"],
};
const parse = (value: unknown) => parseRoute(value, ID);
const nested = (depth: number): unknown => (depth === 0 ? {} : { a: nested(depth - 1) });

describe("routes", () => {
  it("S1-01 S3-01 an empty route keeps nothing and has defaults", () => {
    expect(parse({})).toEqual({
      route_id: "fee_explain",
      memory_profile: EMPTY_PROFILE,
      autonomy: 0,
      risk: "low",
      side_effects: "read",
      stages: [],
      tools: [],
      recall_from: [],
      store_fields: [],
      retrieval: {},
      tokens_max: 8_000,
    });
  });

  it("S1-01 takes a whole route as it is", () => {
    const whole = {
      route_id: "fee_explain",
      memory_profile: { ...PROFILE, loop: "checkpoint" },
      autonomy: 2,
      risk: "high",
      side_effects: "write",
      long_term_reason: "the dispute desk needs past chats",
      stages: [
        {
          stage_id: "fetch",
          tools: ["http.get"],
          recall: true,
          input_schema: { properties: { user_id: { type: "string" } } },
        },
        { stage_id: "answer", tools: [], recall: false },
      ],
      tools: ["recall_turns"],
      recall_from: ["account_history"],
      store_fields: ["pref_language"],
      views: ["user_model", "clinical_state"],
      retrieval: { scope: ["fee-policy", "clauses/2026"], prefetch: true, limit: 5 },
      tokens_max: 1,
    };
    expect(parse(whole)).toEqual(whole);
  });

  it.each([
    ["text", "fee_explain", "body"],
    ["a list", [], "body"],
    ["an unknown key", { colour: "secret" }, "colour"],
    ["`__proto__`", JSON.parse('{"__proto__":{"risk":"low"}}'), "__proto__"],
    ["a version", { version: 3 }, "version"],
    ["the id of another route", { route_id: "payment_initiate" }, "route_id"],
    ["autonomy 4", { autonomy: 4 }, "autonomy"],
    ["autonomy as text", { autonomy: "1" }, "autonomy"],
    ["an unknown risk", { risk: "secret" }, "risk"],
    ["a cap of 0", { tokens_max: 0 }, "tokens_max"],
    ["a cap of -1", { tokens_max: -1 }, "tokens_max"],
    ["a cap of 1.5", { tokens_max: 1.5 }, "tokens_max"],
    ["a cap of 1e9", { tokens_max: 1e9 }, "tokens_max"],
    ["a cap as text", { tokens_max: "abc" }, "tokens_max"],
    ["tools that aren't a list", { tools: { 0: "a" } }, "tools"],
    ["a tool twice", { tools: ["a", "a"] }, "tools.1"],
    ["a tool with a space", { tools: ["a b"] }, "tools.0"],
    ["stages that aren't a list", { stages: {} }, "stages"],
    ["a stage without an id", { stages: [{}] }, "stages.0.stage_id"],
    ["a stage twice", { stages: [{ stage_id: "a" }, { stage_id: "a" }] }, "stages.1.stage_id"],
    [
      "a stage named as an inherited member",
      { stages: [{ stage_id: "constructor" }] },
      "stages.0.stage_id",
    ],
    ["an unknown key of a stage", { stages: [{ stage_id: "a", memory: 1 }] }, "stages.0.memory"],
    [
      "recall that isn't a boolean",
      { stages: [{ stage_id: "a", recall: "yes" }] },
      "stages.0.recall",
    ],
    [
      "a schema that isn't an object",
      { stages: [{ stage_id: "a", input_schema: [] }] },
      "stages.0.input_schema",
    ],
    [
      "`__proto__` inside a schema",
      { stages: [{ stage_id: "a", input_schema: JSON.parse('{"properties":{"__proto__":{}}}') }] },
      "stages.0.input_schema.properties.__proto__",
    ],
    ["a wild card to recall from", { recall_from: ["*"] }, "recall_from.0"],
    [
      "another tenant's route to recall from",
      { recall_from: ["bank-nz/fee_explain"] },
      "recall_from.0",
    ],
    ["a view with a dash", { views: ["user-model"], memory_profile: PROFILE }, "views.0"],
    ["a view where nothing outlives the chat", { views: ["user_model"] }, "views"],
    ["too many names", { tools: Array.from({ length: 257 }, (_, n) => `t${n}`) }, "tools"],
  ])(
    "S1-01 refuses %s by the field's name, and never repeats the value",
    (_title, value, field) => {
      expect(() => parse(value)).toThrow(expect.objectContaining({ kind: "invalid_input", field }));
      expect(() => parse(value)).not.toThrow(/secret|bank-nz|payment/);
    },
  );

  it("S1-01 bounds the depth of a schema", () => {
    expect(() => parse({ stages: [{ stage_id: "a", input_schema: nested(40) }] })).toThrow(
      /nested deeper than 32/,
    );
  });

  it.each([
    [{ tenant: "bank-nz" }, "tenant"],
    [{ tenant_id: "bank-nz" }, "tenant_id"],
    [{ tenants: ["bank-nz"] }, "tenants"],
    [{ userId: "jane" }, "userId"],
    [{ stages: [{ stage_id: "a", "workspace-id": "x" }] }, "stages.0.workspace-id"],
    [{ retrieval: { tenant: "bank-nz" } }, "retrieval.tenant"],
    [{ retrieval: { scope: { subject_id: "jane" } } }, "retrieval.scope.subject_id"],
    [{ memory_profile: { ...PROFILE, tenant: "bank-nz" } }, "memory_profile.tenant"],
  ])("S1-04 S1-30 a route that names a scope is refused: %j", (value, field) => {
    expect(() => parse(value)).toThrow(expect.objectContaining({ kind: "scope_in_input", field }));
    expect(() => parse(value)).not.toThrow(/bank-nz|jane/);
  });

  it.each([
    [{ scope: ["cust-jane"] }, "retrieval.scope.0"],
    [{ scope: ["subject:jane"] }, "retrieval.scope.0"],
    [{ scope: ["jane@example.com"] }, "retrieval.scope.0"],
    [{ scope: ["0198c0de-0000-7000-8000-000000000001"] }, "retrieval.scope.0"],
    [{ scope: ["policies", "pref_language"] }, "retrieval.scope.1"],
    [{ scope: { preferences: { language: "es" } } }, "retrieval.scope.preferences"],
    [{ scope: { language: "es" } }, "retrieval.scope.language"],
    [{ customer_profile: {} }, "retrieval.customer_profile"],
    [{ scope: "policies" }, "retrieval.scope"],
  ])("S1-30 a preference or a subject in retrieval is refused: %j", (retrieval, field) => {
    expect(() => parse({ retrieval })).toThrow(
      expect.objectContaining({ kind: "invalid_input", field }),
    );
  });

  it("S1-35 a route recalls nothing unless it says so, and its reason has to say something", () => {
    for (const given of [{}, { risk: "high" }, { side_effects: "write" }])
      expect(parse(given).memory_profile.long_term).toBe("none");
    expect(parse({ long_term_reason: "disputes need it" }).long_term_reason).toBe(
      "disputes need it",
    );
    expect(() => parse({ long_term_reason: " " })).toThrow(
      expect.objectContaining({ kind: "invalid_input", field: "long_term_reason" }),
    );
  });

  it.each([
    [{ store_url: "postgres://db" }, "store_url", "where memory is stored"],
    [{ memoryStore: "pg" }, "memoryStore", "where memory is stored"],
    [{ embedding_model: "m" }, "embedding_model", "the embedding model"],
    [{ compression_prompt: "p" }, "compression_prompt", "how memory is compressed"],
    [
      { memory_profile: { ...PROFILE, summary_prompt: "p" } },
      "memory_profile.summary_prompt",
      "how memory is compressed",
    ],
    [{ stages: [{ stage_id: "a", embedder: "m" }] }, "stages.0.embedder", "the embedding model"],
    [{ retrieval: { vectorStoreUrl: "u" } }, "retrieval.vectorStoreUrl", "where memory is stored"],
  ])("S1-38 configuration of the memory service is refused by name: %j", (value, field, what) => {
    expect(() => parse(value)).toThrow(expect.objectContaining({ kind: "invalid_input", field }));
    expect(() => parse(value)).toThrow(what);
  });
});
