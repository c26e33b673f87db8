import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import type { Operations } from "../support/muniment.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { refusedWith } from "../support/refusal.js";

const SECRET = "zebra-sentinel-4471";

describeEachDatabase("routes", (database) => {
  let m: TestMuniment;
  let names = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
  });

  const newName = () => `route_${names++}`;

  async function versionsOf(id: string) {
    return await m.db.query<{ version: number }>(
      "select version from muniment.route where route_id = $1 order by version",
      [id],
    );
  }

  it("S1-01 a route is read back with its whole profile, as it was declared", async () => {
    const id = newName();
    const profile = { conversation: "session", working: "none", loop: "checkpoint" };
    await m.operator().putRoute(id, routeBody({ profile: { ...profile, ttl_hours: 72 } }));
    const { route } = await m.app().readRoute(id, {});
    expect(route).toMatchObject({ route_id: id, version: 1, autonomy: 0, tokens_max: 4_000 });
    expect(route.memory_profile).toEqual({
      ...profile,
      long_term: "retrieve_only",
      ttl_hours: 72,
      isolation: ["tenant", "user", "session"],
    });
  });

  it.each([
    ["conversation", { conversation: SECRET }],
    ["working", { working: "durable" }],
    ["loop", { loop: true }],
    ["long_term", { long_term: "prefetch" }],
    ["ttl_hours", { ttl_hours: 0 }],
    ["ttl_hours", { ttl_hours: 1e9 }],
    ["isolation.3", { isolation: ["tenant", "user", "session", SECRET] }],
    ["colour", { colour: SECRET }],
  ])(
    "S1-01 a profile with another %s is refused by that name, whatever it says",
    async (field, profile) => {
      const id = newName();
      const refusal = await refusedWith(m.operator().putRoute(id, routeBody({ profile })));
      expect(refusal).toMatchObject({
        kind: "invalid_input",
        field: expect.stringContaining("memory_profile."),
      });
      expect(refusal.field).toMatch(new RegExp(`^memory_profile\\.${field.slice(0, 9)}`));
      expect(refusal.message).not.toContain(SECRET);
      expect(await versionsOf(id)).toEqual([]);
    },
  );

  it("S1-02 a change is a new version with author, time and reason; every earlier one reads as it was", async () => {
    const id = newName();
    await m.operator().putRoute(id, routeBody({ tokens_max: 100 }));
    m.clock.forward({ hours: 1 });
    const first = await m.operator().readRoute(id, { version: 1 });
    for (const tokens_max of [200, 300]) {
      m.clock.forward({ hours: 1 });
      const reason = `now ${tokens_max}`;
      expect(await m.operator().putRoute(id, routeBody({ tokens_max, reason }))).toMatchObject({
        changed: true,
      });
    }
    expect(await m.operator().readRoute(id, { version: 1 })).toMatchObject({
      route: first.route,
      reason: first.reason,
      created_at: first.created_at,
    });
    const second = await m.operator().readRoute(id, { version: 2 });
    expect(second).toMatchObject({ reason: "now 200", route: { version: 2, tokens_max: 200 } });
    expect((await m.operator().readRoute(id, {})).route).toMatchObject({
      version: 3,
      tokens_max: 300,
    });
    const authors = await m.db.query<{
      author_ref: string;
      created_at: Date;
      author_sealed: Uint8Array;
    }>(
      "select author_ref, created_at, author_sealed from muniment.route where route_id = $1 order by version",
      [id],
    );
    expect(new Set(authors.map((row) => row.author_ref)).size).toBe(1);
    expect(new Set(authors.map((row) => row.created_at.getTime())).size).toBe(3);
    expect(authors.every((row) => row.author_sealed.length > 0)).toBe(true);
    expect(await refusalOf(m.operator().readRoute(id, { version: 4 }))).toBe("not_found");
  });

  it("S1-02 a change without a reason is refused; the same definition again is no new version", async () => {
    const id = newName();
    await m.operator().putRoute(id, routeBody());
    const refusal = await refusedWith(m.operator().putRoute(id, routeBody({ tokens_max: 5 })));
    expect(refusal).toMatchObject({ kind: "invalid_input", field: "reason" });
    const nothing = routeBody({ tokens_max: 5, reason: null });
    expect(await refusalOf(m.operator().putRoute(id, nothing))).toBe("invalid_input");
    const reordered = Object.fromEntries(Object.entries(routeBody()).reverse());
    expect(await m.operator().putRoute(id, reordered)).toMatchObject({
      version: 1,
      changed: false,
    });
    expect(await versionsOf(id)).toHaveLength(1);
  });

  it("S1-02 the application's role can neither change nor remove a version", async () => {
    const id = newName();
    await m.operator().putRoute(id, routeBody());
    for (const text of ["update muniment.route set reason = 'x'", "delete from muniment.route"]) {
      await m.db.query("begin");
      await m.db.query("set local role muniment_app");
      await expect(m.db.query(text)).rejects.toThrow(/permission denied/);
      await m.db.query("rollback");
    }
  });

  it("S1-02 of writers at the same moment one is first: no version is lost, skipped or written over", async () => {
    const id = newName();
    await m.operator().putRoute(id, routeBody({ tokens_max: 1_000 }));
    const writes = await Promise.allSettled(
      [1, 2, 3, 4, 5, 6].map((n) =>
        m.operator().putRoute(id, routeBody({ tokens_max: n, reason: `n${n}` })),
      ),
    );
    const done = writes.filter((write) => write.status === "fulfilled").map((write) => write.value);
    expect(done.length).toBeGreaterThan(0);
    for (const write of writes) {
      if (write.status === "rejected")
        expect(write.reason).toMatchObject({ kind: "version_conflict" });
    }
    expect((await versionsOf(id)).map((row) => row.version)).toEqual([
      1,
      ...done.map((it) => it.version).sort(),
    ]);
    for (const { version } of done) {
      const stored = await m.operator().readRoute(id, { version });
      expect(stored.reason).toBe(`n${stored.route.tokens_max}`);
    }
  });

  it("S1-02 first writers of one route at the same moment who say the same make one first version, and none is refused", async () => {
    const id = newName();
    const writes = await Promise.all(
      Array.from({ length: 20 }, () => m.operator().putRoute(id, routeBody())),
    );
    expect(writes.map(({ version }) => version)).toEqual(writes.map(() => 1));
    expect(writes.filter(({ changed }) => changed)).toHaveLength(1);
    expect(await versionsOf(id)).toEqual([{ version: 1 }]);
  });

  it("S1-09 routes are the tenant's own: another tenant reads nothing and may use the same name", async () => {
    const id = newName();
    await m.operator().putRoute(id, routeBody({ tokens_max: 77 }));
    expect(await refusalOf(m.operator("bank-nz").readRoute(id, {}))).toBe("not_found");
    expect(
      await refusalOf(m.app("bank-nz").startRun("jane", "s", { route_id: id, goal: "x" })),
    ).toBe("not_found");
    expect(await m.operator("bank-nz").putRoute(id, routeBody())).toMatchObject({ version: 1 });
    expect(
      (await m.operator("bank-nz").listRoutes({})).routes.map(({ route }) => route.tokens_max),
    ).toEqual([4_000]);
  });

  it.each(["tenant", "tenant_id", "tenants", "workspace", "subject", "user_id", "session_id"])(
    "S1-04 a route can't grant itself another scope: `%s` is refused at each depth",
    async (key) => {
      const grant = { [key]: "bank-nz" };
      for (const [body, field] of [
        [routeBody(grant), key],
        [routeBody({ profile: grant }), `memory_profile.${key}`],
        [routeBody({ stages: [{ stage_id: "a", tools: [], ...grant }] }), `stages.0.${key}`],
        [routeBody({ retrieval: grant }), `retrieval.${key}`],
      ] as const) {
        expect(await refusedWith(m.operator().putRoute(newName(), body))).toMatchObject({
          kind: "scope_in_input",
          field,
        });
      }
    },
  );

  it("S1-04 a route that lists a route of another tenant recalls nothing of it", async () => {
    const id = newName();
    await m.operator("bank-nz").putRoute(id, routeBody());
    const nz = await m.app("bank-nz").startRun("jane", "s", { route_id: id, goal: "x" });
    await m.app("bank-nz").appendTurns(nz.run_id, { turns: [{ role: "user", text: SECRET }] });
    expect(
      await refusalOf(
        m.operator().putRoute(newName(), routeBody({ recall_from: [`bank-nz/${id}`] })),
      ),
    ).toBe("invalid_input");
    const own = newName();
    await m.operator().putRoute(own, routeBody({ recall_from: [id] }));
    const { run_id } = await m.app().startRun("jane", "s", { route_id: own, goal: "x" });
    expect((await m.app().recallTurns(run_id, { query: SECRET })).hits).toEqual([]);
  });

  it.each([
    [{ scope: ["pref_language"] }],
    [{ scope: ["cust-jane"] }],
    [{ scope: ["01900000-0000-7000-8000-000000000000"] }],
    [{ scope: { preference: "language" } }],
    [{ preferences: ["language"] }],
    [{ episodes: true }],
  ])("S1-30 a person or a preference in `retrieval` is refused: %j", async (retrieval) => {
    const refusal = await refusedWith(m.operator().putRoute(newName(), routeBody({ retrieval })));
    expect(refusal.kind).toBe("invalid_input");
    expect(refusal.field).toMatch(/^retrieval/);
  });

  it("S1-30 corpora are kept apart from what the route may recall", async () => {
    const id = newName();
    await m
      .operator()
      .putRoute(id, routeBody({ retrieval: { scope: ["fees/2026"], prefetch: true, limit: 3 } }));
    const { route } = await m.operator().readRoute(id, {});
    expect(route).toMatchObject({ retrieval: { scope: ["fees/2026"] }, recall_from: [] });
  });

  it.each([
    [{ isolation: ["tenant", "user"] }],
    [{ isolation: ["user", "session"] }],
    [{ isolation: ["tenant", "session"] }],
    [{ isolation: [] }],
    [{ isolation: undefined }],
    [{ conversation: "none", working: "none", loop: "none", isolation: ["tenant"] }],
    [{ conversation: "none", working: "none", loop: "none", isolation: ["user"] }],
  ])("S1-34 memory without its isolation keys is refused: %j", async (profile) => {
    const refusal = await refusedWith(m.operator().putRoute(newName(), routeBody({ profile })));
    expect(refusal).toMatchObject({ kind: "invalid_input", field: "memory_profile.isolation" });
  });

  it.each([{ risk: "high" }, { side_effects: "write" }])(
    "S1-35 a route with %j recalls nothing unless somebody says why, and the reason stays with the version",
    async (grave) => {
      const id = newName();
      const refusal = await refusedWith(m.operator().putRoute(id, routeBody(grave)));
      expect(refusal.kind).toBe("denied");
      expect(refusal.message).toContain("long_term_reason");
      const [denial] = (await m.operator().readAudit({ verdict: "deny", limit: 1 })).rows;
      expect(denial).toMatchObject({
        operation: "put_route",
        policy_ids: ["grave_memory_without_reason"],
      });
      const quiet = routeBody({ ...grave, profile: { long_term: "none" } });
      expect(await m.operator().putRoute(id, quiet)).toMatchObject({ version: 1 });
      const argued = routeBody({
        ...grave,
        long_term_reason: "refunds need the dispute",
        reason: "ok",
      });
      expect(await m.operator().putRoute(id, argued)).toMatchObject({ version: 2 });
      expect((await m.operator().readRoute(id, {})).route.long_term_reason).toBe(
        "refunds need the dispute",
      );
      const written =
        "select policy_ids, memory_writes from muniment.audit where memory_writes @> $1::jsonb";
      expect(
        await m.db.query(written, [JSON.stringify([{ kind: "route", ids: [`${id}@2`] }])]),
      ).toHaveLength(1);
    },
  );

  it.each([
    "store_url",
    "database",
    "vector_store",
    "embedding_model",
    "embedder",
    "compression_prompt",
    "summary_prompt",
    "memory_endpoint",
  ])(
    "S1-38 `%s` is configuration of the service and refused in a route, wherever it stands",
    async (key) => {
      const extra = { [key]: SECRET };
      for (const body of [
        routeBody(extra),
        routeBody({ profile: extra }),
        routeBody({ retrieval: extra }),
        routeBody({ stages: [{ stage_id: "a", tools: [], ...extra }] }),
      ]) {
        const refusal = await refusedWith(m.operator().putRoute(newName(), body));
        expect(refusal.kind).toBe("invalid_input");
        expect(refusal.field).toContain(key);
        expect(refusal.message).not.toContain(SECRET);
      }
    },
  );

  it("S1-36 a credential is refused in every text of a route, its reason too", async () => {
    const token = "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";
    for (const body of [
      routeBody({ reason: token }),
      routeBody({ risk: "high", long_term_reason: token }),
      routeBody({ stages: [{ stage_id: "a", tools: [], input_schema: { description: token } }] }),
    ]) {
      expect(await refusalOf(m.operator().putRoute(newName(), body))).toBe("credential_in_text");
    }
  });

  it("S1-27 operators and a release pipeline put routes, and nobody else; a refusal is audited and writes nothing", async () => {
    const release = m.as({ id: "ci", kind: "service", roles: ["release"] });
    expect(await release.putRoute(newName(), routeBody())).toMatchObject({ version: 1 });
    const others: readonly [string, Operations][] = [
      ["the application", m.app()],
      ["a reader", m.as({ id: "r", roles: ["reader"] })],
      ["a service without a role", m.as({ id: "n", roles: [] })],
      ["a supervisor", m.as({ id: "s", kind: "human", roles: ["supervisor"] })],
      ["a customer", m.customer("jane")],
      [
        "an operator bound to one person",
        m.as({ id: "o", kind: "human", roles: ["operator"], subject: "jane" }),
      ],
      ["an agent with an operator's role", m.as({ id: "a", kind: "agent", roles: ["operator"] })],
      ["a job", m.as({ id: "j", kind: "job", roles: ["operator"] })],
    ];
    for (const [who, as] of others) {
      const id = newName();
      const before = await m.db.query(
        "select 1 from muniment.audit where operation = 'put_route' and verdict = 'deny'",
      );
      expect(await refusalOf(as.putRoute(id, routeBody())), who).toBe("denied");
      expect(await versionsOf(id), who).toEqual([]);
      const after = await m.db.query(
        "select 1 from muniment.audit where operation = 'put_route' and verdict = 'deny'",
      );
      expect(after.length - before.length, who).toBe(1);
    }
  });

  it("S1-02 the list shows the latest version of each route once, whatever the page", async () => {
    const tenant = "bank-pages";
    for (let n = 0; n < 9; n++) await m.operator(tenant).putRoute(`page_${n}`, routeBody());
    await m.operator(tenant).putRoute("page_4", routeBody({ tokens_max: 1, reason: "smaller" }));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await m
        .operator(tenant)
        .listRoutes({ limit: 4, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.routes.map(({ route }) => `${route.route_id}@${route.version}`));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 9 }, (_, n) => `page_${n}@${n === 4 ? 2 : 1}`));
  });
});
