import { describe, expect, it } from "vitest";
import { checkJson, namesScope } from "./fields.js";

function nested(levels: number): unknown {
  return levels === 0 ? "x" : [nested(levels - 1)];
}

describe("keys that name a scope", () => {
  it.each([
    ...["tenant", "tenants", "tenant_id", "tenantId", "TENANT-ID", "tenantIds", "user", "userid"],
    ...["customer_id", "owner", "agent_id", "app", "organization", "organisation_id", "org"],
    ...["account", "route", "isolation", "scope", "namespace", "profile", "memory_profile"],
    ...["memoryProfile", "principal", "session_ids", "run", "workspace"],
  ])("S1-04 %s is one", (key) => {
    expect(namesScope(key)).toBe(true);
  });

  it.each(["text", "user-agent", "runtime", "x-request-id", "recall_from", "scoped", "", "id"])(
    "S1-04 %j is none",
    (key) => {
      expect(namesScope(key)).toBe(false);
    },
  );
});

describe("JSON from outside", () => {
  it("S5-12 may be nested to its limit and no deeper", () => {
    expect(() => checkJson(nested(32), "output")).not.toThrow();
    expect(() => checkJson(nested(33), "output")).toThrow(/nested deeper than 32/);
  });

  it.each([
    ["a date", { a: new Date(0) }, "output.a"],
    ["an instance", { a: { b: new Map() } }, "output.a.b"],
    ["undefined", { a: [undefined] }, "output.a.0"],
    ["not a number", [Number.NaN], "output.0"],
    ["a big integer", 10n, "output"],
  ])("S5-12 is refused where it holds %s", (_title, value, field) => {
    expect(() => checkJson(value, "output")).toThrow(
      expect.objectContaining({ kind: "invalid_input", field }),
    );
  });

  it("S5-12 may be an object without a prototype", () => {
    expect(() => checkJson(Object.assign(Object.create(null), { a: 1 }), "output")).not.toThrow();
  });
});
