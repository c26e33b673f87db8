import { describe, expect, it } from "vitest";
import { EMPTY_PROFILE } from "./profile.js";
import { parseMemoryProfile, profileText } from "./profile-rules.js";

const WHOLE = {
  conversation: "session",
  working: "session",
  loop: "checkpoint",
  long_term: "retrieve_only",
  ttl_hours: 24,
  isolation: ["tenant", "user", "session"],
};

describe("memory profiles", () => {
  it("S1-01 takes a whole profile as it is", () => {
    expect(parseMemoryProfile(WHOLE)).toEqual(WHOLE);
  });

  it("S3-01 absent or empty keeps nothing; an omitted mode is none", () => {
    expect(parseMemoryProfile(undefined)).toEqual(EMPTY_PROFILE);
    expect(parseMemoryProfile({})).toEqual(EMPTY_PROFILE);
    const { conversation: _omitted, ...rest } = WHOLE;
    expect(parseMemoryProfile(rest).conversation).toBe("none");
  });

  it.each([
    ["not an object", [], "memory_profile"],
    ["null", null, "memory_profile"],
    ["an unknown key", { ...WHOLE, retention: "secret" }, "memory_profile.retention"],
    [
      "`__proto__`",
      JSON.parse('{"__proto__":{"long_term":"retrieve_only"}}'),
      "memory_profile.__proto__",
    ],
    ["a key of odd characters", { ...WHOLE, "jane@example.com\n": 1 }, "memory_profile.?"],
    ["an unknown mode", { ...WHOLE, long_term: "read_write" }, "memory_profile.long_term"],
    ["a mode of another key", { ...WHOLE, loop: "session" }, "memory_profile.loop"],
    ["null as a mode", { ...WHOLE, working: null }, "memory_profile.working"],
    ["no lifetime", { ...WHOLE, ttl_hours: undefined }, "memory_profile.ttl_hours"],
    ["0 hours", { ...WHOLE, ttl_hours: 0 }, "memory_profile.ttl_hours"],
    ["-1 hours", { ...WHOLE, ttl_hours: -1 }, "memory_profile.ttl_hours"],
    ["1.5 hours", { ...WHOLE, ttl_hours: 1.5 }, "memory_profile.ttl_hours"],
    ["hours as text", { ...WHOLE, ttl_hours: "24" }, "memory_profile.ttl_hours"],
    ["more hours than the limit", { ...WHOLE, ttl_hours: 8_761 }, "memory_profile.ttl_hours"],
    [
      "an unknown isolation key",
      { ...WHOLE, isolation: ["tenant", "user", "everyone"] },
      "memory_profile.isolation.2",
    ],
    [
      "a repeated isolation key",
      { ...WHOLE, isolation: ["tenant", "user", "user"] },
      "memory_profile.isolation.2",
    ],
    ["isolation as text", { ...WHOLE, isolation: "tenant" }, "memory_profile.isolation"],
  ])(
    "S1-01 refuses %s by the field's name, and never repeats the value",
    (_title, value, field) => {
      expect(() => parseMemoryProfile(value)).toThrow(
        expect.objectContaining({ kind: "invalid_input", field }),
      );
      expect(() => parseMemoryProfile(value)).not.toThrow(/secret|read_write|everyone|jane/);
    },
  );

  it("S1-04 refuses a scope in a profile as a scope", () => {
    expect(() => parseMemoryProfile({ ...WHOLE, tenantId: "bank-nz" })).toThrow(
      expect.objectContaining({ kind: "scope_in_input", field: "memory_profile.tenantId" }),
    );
  });

  it.each([
    [{ conversation: "session" }, ["tenant", "user"], false],
    [{ working: "session" }, ["tenant", "session"], false],
    [{ loop: "checkpoint" }, ["user", "session"], false],
    [{ conversation: "session" }, undefined, false],
    [{ long_term: "retrieve_only" }, ["tenant"], false],
    [{ long_term: "retrieve_only" }, ["user", "session"], false],
    [{ long_term: "retrieve_only" }, undefined, false],
    [{ long_term: "retrieve_only" }, ["tenant", "user"], true],
    [{ conversation: "session", long_term: "retrieve_only" }, ["session", "user", "tenant"], true],
    [{}, [], true],
  ])("S1-34 %j isolated by %j is allowed: %s", (modes, isolation, isAllowed) => {
    const parse = () =>
      parseMemoryProfile({
        ...modes,
        ttl_hours: 1,
        ...(isolation === undefined ? {} : { isolation }),
      });
    if (isAllowed) expect(parse).not.toThrow();
    else
      expect(parse).toThrow(
        expect.objectContaining({ kind: "invalid_input", field: "memory_profile.isolation" }),
      );
  });

  it("S1-03 gives one text to one profile, whatever the order it was written in", () => {
    const turned = parseMemoryProfile({
      ...Object.fromEntries(Object.entries(WHOLE).reverse()),
      isolation: ["session", "tenant", "user"],
    });
    expect(profileText(turned)).toBe(profileText(parseMemoryProfile(WHOLE)));
    expect(profileText(turned)).not.toBe(profileText({ ...turned, ttl_hours: 25 }));
  });
});
