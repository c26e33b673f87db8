import { beforeAll, describe, expect, it } from "vitest";
import { ACTIONS, REPEATABLE_ACTIONS } from "../../src/domain/action.js";
import { OPERATIONS } from "../../src/http/operations.js";
import { describeEachDatabase } from "../setup/databases.js";
import { routeBody } from "../support/muniment.js";
import { kindIn, OPERATOR, openTestServer, problemIn, type TestServer } from "./server.js";

const INNER = [
  "resolve",
  "record_refusal",
  "sweep",
  "compress_session",
  "observe_session",
  "run_work",
  "list_unsealed",
  "consolidate_subject",
  "seal_segments",
  "list_unembedded",
  "embed_turns",
  "list_rotated",
  "reseal_subject",
  "replay_ledger",
  "replay_erasure",
];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("operations table", () => {
  it("has each action that a caller may ask for once", () => {
    const actions = OPERATIONS.map(({ action }) => action);
    expect(actions.toSorted()).toEqual(ACTIONS.filter((it) => !INNER.includes(it)).toSorted());
  });

  it("has each method and path once", () => {
    const doors = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(doors).size).toBe(doors.length);
  });
});

describeEachDatabase("http replies", (database) => {
  let server: TestServer;
  let run: string;
  const turns = [{ role: "user", text: "why this fee?" }];

  beforeAll(async () => {
    server = await openTestServer(database, {
      limits: { failuresPerMinute: 6_000 },
      runTokens: async ({ claims, subject, session, run: id }) =>
        [claims.tenant, subject, session, id].join("/"),
    });
    run = await server.startRun();
  });

  it("S5-14 sends operations behind a credential, with the decision and an audit row behind the reply", async () => {
    const { ask } = server;
    const at = `/v1/runs/${run}`;
    const before = await ask("POST", "/v1/subjects/jane/sessions/old/runs", {
      body: { route_id: "fee_explain", goal: "Explain the fee" },
    });
    const asks = [
      await ask("PUT", "/v1/routes/card_help", { as: OPERATOR, body: routeBody() }),
      await ask("GET", "/v1/routes/card_help?version=1", { as: OPERATOR }),
      await ask("GET", "/v1/routes?limit=1", { as: OPERATOR }),
      before,
      await ask("POST", "/v1/subjects/jane/sessions/old/turn"),
      await ask("GET", at),
      await ask("POST", `${at}/turns`, { body: { turns } }),
      await ask("GET", `${at}/turns?limit=2`),
      await ask("PUT", `${at}/working`, { body: { questions: ["which card?"] } }),
      await ask("PUT", `${at}/stages/lookup`, { body: { output: { amount: 42 } } }),
      await ask("PUT", `${at}/checkpoint`, { body: { step: 2 } }),
      await ask("POST", `${at}/pack`),
      await ask("POST", `${at}/recall`, { body: { query: "fee" } }),
      await ask("POST", `${at}/children`, {
        body: { route_id: "card_help", goal: "Find the card", slots: ["lookup"] },
      }),
      await ask("POST", `${at}/fail`, { body: { code: "tool_timeout" } }),
      await ask("POST", `/v1/runs/${before.json().run_id}/close`, { body: { outcome: "closed" } }),
      await ask("GET", "/v1/audit?limit=1&verdict=allow", { as: OPERATOR }),
    ];
    const replies = asks.map((reply) => ({ status: reply.statusCode, body: reply.json() }));
    for (const [index, { status, body }] of replies.entries()) {
      expect(status, `${index}: ${JSON.stringify(body)}`).toBeLessThan(300);
      expect(body.decision).toMatchObject({ verdict: "allow", audit_id: expect.any(String) });
    }
    const pack = await ask("GET", `/v1/packs/${replies[11]?.body.pack_id}`);
    expect(pack.json()).toMatchObject({ run_id: run, decision: { verdict: "allow" } });
    const operations = await Promise.all(
      [...asks, pack].map(async (reply) =>
        (await server.audited(reply)).map((row) => row.operation),
      ),
    );
    // Every operation's door is walked in tests/doors.
    for (const [index, rows] of operations.entries()) expect(rows, `${index}`).not.toEqual([]);
  });

  it("carries slots over and imports rows one by one", async () => {
    const from = await server.startRun("tom", "t1");
    await server.ask("PUT", `/v1/runs/${from}/stages/lookup`, { body: { output: { amount: 7 } } });
    const to = await server.startRun("tom", "t1");
    const handed = await server.ask("POST", `/v1/runs/${to}/handoff`, {
      body: { from_run: from, slots: ["lookup"] },
    });
    expect(handed.json()).toMatchObject({ slots: ["lookup"], from_run: from });
    const row = { session: "old", text: "hi", observed_at: "2026-01-01T00:00:00Z" };
    const imported = await server.ask("POST", "/v1/subjects/tom/import", {
      body: {
        route_id: "fee_explain",
        rows: [
          { ...row, source_id: "a" },
          { ...row, source_id: "b", text: "\u0000" },
        ],
      },
      as: { roles: ["operator"] },
    });
    expect(imported.json()).toMatchObject({ imported: 1, refused: 1 });
  });

  it.each([
    ["no credential", {}],
    ["another scheme", { authorization: "Basic abc" }],
    ["an empty bearer", { authorization: "Bearer " }],
    ["a token of nobody", { authorization: "Bearer abc.def.ghi" }],
    ["two tokens", { authorization: "Bearer abc def" }],
  ])("S5-14 answers %s with 401 at every door, and audits nothing", async (_name, headers) => {
    for (const { method, path } of OPERATIONS) {
      const reply = await server.ask(method, path, { as: null, headers });
      expect([reply.statusCode, kindIn(reply)]).toEqual([401, "unauthenticated"]);
      expect(reply.headers["www-authenticate"]).toBe("Bearer");
      expect(await server.audited(reply)).toEqual([]);
    }
  });

  it("takes no token from a query, a cookie or a body", async () => {
    const token = await server.token();
    const reply = await server.ask("POST", `/v1/runs/${run}/turns?access_token=${token}`, {
      as: null,
      headers: { cookie: `token=${token}` },
      body: { token },
    });
    expect(reply.statusCode).toBe(401);
  });

  it("names each request by an id of its own, whatever the caller sends", async () => {
    const headers = { "x-request-id": "mine" };
    const paths = ["/health", "/ready", "/openapi.json", "/nothing", "/v1/routes"];
    const replies = await Promise.all(paths.map((path) => server.ask("GET", path, { headers })));
    const ids = replies.map((reply) => String(reply.headers["x-request-id"]));
    expect(ids).toEqual(paths.map(() => expect.stringMatching(UUID)));
    expect(new Set(ids).size).toBe(paths.length);
    for (const reply of replies) {
      expect(reply.headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      });
      expect(
        Object.keys(reply.headers).filter((name) => name.startsWith("access-control")),
      ).toEqual([]);
    }
  });

  it.each([
    ["GET", "/"],
    ["GET", "/v1"],
    ["GET", "/v1/runs/"],
    ["POST", "/v1/audit"],
    ["HEAD", "/v1/audit"],
    ["GET", "/v1/runs/%zz"],
    ["GET", "/v1/routes/../audit/x"],
  ] as const)("answers %s %s with a problem and without the path", async (method, path) => {
    const reply = await server.ask(method, path, { as: OPERATOR });
    expect(reply.statusCode).toBe(path.includes("%zz") ? 400 : 404);
    if (method === "HEAD") return;
    expect(problemIn(reply).request_id).toBe(reply.headers["x-request-id"]);
    expect(reply.body).not.toContain("zz");
  });

  it("gives a new run's own token with the run, and anew with a repeated reply", async () => {
    const start = {
      body: { route_id: "fee_explain", goal: "Explain the fee" },
      headers: { "idempotency-key": "start-1" },
    };
    const path = "/v1/subjects/jane%40example.com/sessions/a%2Fb/runs";
    const [first, second] = [
      await server.ask("POST", path, start),
      await server.ask("POST", path, start),
    ];
    const { run_id: id, run_token: token } = first.json();
    expect(token).toBe(`bank-au/jane@example.com/a/b/${id}`);
    expect(second.json()).toEqual(first.json());
  });

  it("S3-11 S1-36 gives a child's run a token of its own, never its parent's", async () => {
    const parent = await server.startRun("jane", "family");
    const reply = await server.ask("POST", `/v1/runs/${parent}/children`, {
      body: { route_id: "fee_explain", goal: "Find the card", slots: [] },
    });
    const { run_id: child, run_token: token } = reply.json();
    expect(token).toBe(`bank-au///${child}`);
    expect(child).not.toBe(parent);
  });

  it("S1-09 gives the run's own token to the application alone: a person may do less in a run than its agent", async () => {
    const body = { route_id: "fee_explain", goal: "Explain the fee" };
    const people = [OPERATOR, { id: "tom", kind: "human", roles: [], subject: "tom" } as const];
    for (const as of people) {
      const reply = await server.ask("POST", "/v1/subjects/tom/sessions/own/runs", { as, body });
      expect([reply.statusCode, reply.json().run_token]).toEqual([201, undefined]);
    }
  });

  it("answers a repeated key with the first reply, another body with a mismatch, another caller with its own", async () => {
    const path = `/v1/runs/${await server.startRun()}/turns`;
    const headers = { "idempotency-key": "k!~1" };
    const first = await server.ask("POST", path, { body: { turns }, headers });
    const again = await server.ask("POST", path, { body: { turns }, headers });
    expect(again.json().turn_ids).toEqual(first.json().turn_ids);
    const other = await server.ask("POST", path, {
      body: { turns: [...turns, ...turns] },
      headers,
    });
    expect([other.statusCode, kindIn(other)]).toEqual([422, "idempotency_mismatch"]);
    const stranger = await server.ask("POST", path, {
      as: { id: "app-2" },
      body: { turns },
      headers,
    });
    expect(stranger.json().turn_ids).not.toEqual(first.json().turn_ids);
  });

  it("describes every operation at /openapi.json, open to everybody", async () => {
    const reply = await server.ask("GET", "/openapi.json", { as: null });
    const document = reply.json();
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "1.2.3" } });
    const described = Object.entries<Record<string, { operationId: string }>>(
      document.paths,
    ).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, it]) => `${method} ${path} ${it.operationId}`),
    );
    const table = OPERATIONS.map(
      ({ method, path, action }) =>
        `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")} ${action}`,
    );
    expect(described.toSorted()).toEqual(table.toSorted());
    const taking = OPERATIONS.filter(
      ({ method, path }) =>
        document.paths[path.replaceAll(/:(\w+)/g, "{$1}")][method.toLowerCase()].parameters?.some(
          (parameter: { name: string }) => parameter.name === "idempotency-key",
        ) ?? false,
    );
    expect(taking.map(({ action }) => action).toSorted()).toEqual(REPEATABLE_ACTIONS.toSorted());
    const { properties, required } =
      document.paths["/v1/runs/{run}/turns"].post.requestBody.content["application/json"].schema;
    expect(Object.keys(properties)).toEqual(["turns", "expected_version"]);
    expect(required).toEqual(["turns"]);
    const { responses } = document.paths["/v1/audit"].get;
    expect(Object.keys(responses.default.content)).toEqual(["application/problem+json"]);
  });
});
