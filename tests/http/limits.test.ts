import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { ErrorKind } from "../../src/domain/errors.js";
import { describeEachDatabase } from "../setup/databases.js";
import { kindIn, openTestServer, type TestServer } from "./server.js";

// Windows of 10 seconds, so these are 3 requests and 2 failures.
const LIMITS = { requestsPerMinute: 18, failuresPerMinute: 12 };

describeEachDatabase("http limits", (database) => {
  let server: TestServer;
  const counted: ErrorKind[] = [];

  beforeAll(async () => {
    server = await openTestServer(database, {
      limits: LIMITS,
      onRefusal: (kind) => counted.push(kind),
    });
  });

  // Windows are of the machine's clock: it stands still, so that a slow machine sees the same.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("S5-14 limits each caller by itself, says when to come back, and audits a flood once", async () => {
    const flood = [];
    for (let n = 0; n < 6; n++) {
      flood.push(
        await server.ask("GET", "/v1/routes", { as: { id: "noisy", roles: ["operator"] } }),
      );
    }
    expect(flood.map((reply) => reply.statusCode)).toEqual([200, 200, 200, 429, 429, 429]);
    const refused = flood.slice(3);
    for (const reply of refused) {
      expect(kindIn(reply)).toBe("rate_limited");
      expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
      expect(Number(reply.headers["retry-after"])).toBeLessThanOrEqual(10);
    }
    const audited = await Promise.all(refused.map((reply) => server.audited(reply)));
    expect(audited.map((rows) => rows.map((row) => row.refusal))).toEqual([
      ["rate_limited"],
      [],
      [],
    ]);
    for (const as of [
      { id: "quiet" },
      { id: "noisy", tenant: "bank-nz" },
      { id: "noisy", kind: "human" as const },
    ]) {
      const reply = await server.ask("GET", "/v1/routes", { as: { ...as, roles: ["operator"] } });
      expect(reply.statusCode).toBe(200);
    }
  });

  it("lets a caller go on after the window", async () => {
    const as = { id: "patient", roles: ["operator"] };
    for (let n = 0; n < 3; n++) await server.ask("GET", "/v1/routes", { as });
    expect((await server.ask("GET", "/v1/routes", { as })).statusCode).toBe(429);
    vi.setSystemTime(Date.now() + 10_000);
    expect((await server.ask("GET", "/v1/routes", { as })).statusCode).toBe(200);
  });

  it("limits failures of an address without touching who has a credential there, and counts each refusal", async () => {
    counted.length = 0;
    const statuses = [];
    for (let n = 0; n < 4; n++) {
      statuses.push((await server.ask("GET", "/v1/routes", { as: null })).statusCode);
    }
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect(counted).toEqual(["unauthenticated", "unauthenticated", "rate_limited", "rate_limited"]);
    const valid = await server.ask("GET", "/v1/routes", {
      as: { id: "late", roles: ["operator"] },
    });
    expect(valid.statusCode).toBe(200);
  });

  it("answers health and readiness whatever the limits", async () => {
    for (let n = 0; n < 10; n++) {
      expect((await server.ask("GET", "/health", { as: null })).json()).toEqual({ status: "ok" });
      expect((await server.ask("GET", "/ready", { as: null })).json()).toEqual({
        ready: true,
        checks: [],
      });
    }
  });
});
