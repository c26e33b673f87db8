import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import {
  type Ask,
  kindIn,
  OPERATOR,
  openTestServer,
  problemIn,
  type TestServer,
} from "./server.js";

const SENTINEL = "zq-sentinel-41";
const NOBODY = "01890000-0000-7000-8000-000000000000";

describeEachDatabase("http refusals", (database) => {
  let server: TestServer;
  let run: string;

  beforeAll(async () => {
    server = await openTestServer(database);
    run = await server.startRun();
  });

  interface Case {
    readonly name: string;
    readonly method?: "GET" | "PUT" | "POST";
    readonly path?: string;
    readonly ask?: Ask;
    readonly status: number;
    readonly kind: string;
    readonly field?: string;
    /** Operation of the one audit row. */
    readonly operation: string;
  }

  const append = { method: "POST", path: "/v1/runs/RUN/turns", operation: "append_turns" } as const;
  const list = { method: "GET", path: "/v1/runs/RUN/turns", operation: "list_turns" } as const;
  const turns = [{ role: "user", text: "hello" }];
  const deep = `{"output":${"[".repeat(60)}${"]".repeat(60)}}`;

  const cases: readonly Case[] = [
    {
      ...append,
      name: "a body that isn't JSON",
      ask: { body: `{"turns": ${SENTINEL}` },
      status: 400,
      kind: "invalid_input",
      field: "body",
    },
    {
      ...append,
      name: "a body that isn't UTF-8",
      ask: { body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
      status: 400,
      kind: "invalid_input",
      field: "body",
    },
    {
      ...append,
      name: "a list as body",
      ask: { body: `["${SENTINEL}"]` },
      status: 400,
      kind: "invalid_input",
      field: "body",
    },
    {
      ...append,
      name: "null as body",
      ask: { body: "null" },
      status: 400,
      kind: "invalid_input",
      field: "body",
    },
    {
      ...append,
      name: "__proto__ in a body",
      ask: { body: `{"turns":[{"role":"user","text":"x","__proto__":{"a":"${SENTINEL}"}}]}` },
      status: 400,
      kind: "invalid_input",
      field: "turns.0.__proto__",
    },
    {
      ...append,
      name: "a NUL in a text",
      ask: { body: { turns: [{ role: "user", text: `${SENTINEL}\u0000` }] } },
      status: 400,
      kind: "invalid_input",
      field: "turns.0.text",
    },
    {
      ...append,
      name: "half of a surrogate pair",
      ask: { body: `{"turns":[{"role":"user","text":"${SENTINEL}\\ud83d"}]}` },
      status: 400,
      kind: "invalid_input",
      field: "turns.0.text",
    },
    {
      ...append,
      name: "no body where one is needed",
      status: 400,
      kind: "invalid_input",
      field: "turns",
    },
    {
      ...append,
      name: "a scope in a body",
      ask: { body: { turns, user_id: SENTINEL } },
      status: 400,
      kind: "scope_in_input",
      field: "user_id",
    },
    {
      ...append,
      name: "a form as body",
      ask: {
        body: `a=${SENTINEL}`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      },
      status: 415,
      kind: "invalid_input",
      field: "content-type",
    },
    {
      ...append,
      name: "a body that says to be compressed",
      ask: { body: { turns }, headers: { "content-encoding": "gzip" } },
      status: 415,
      kind: "invalid_input",
      field: "content-encoding",
    },
    {
      ...append,
      name: "a body in another charset",
      ask: {
        body: JSON.stringify({ turns }),
        headers: { "content-type": "application/json; charset=iso-8859-1" },
      },
      status: 415,
      kind: "invalid_input",
      field: "content-type",
    },
    {
      ...append,
      name: "a body above 1 MiB",
      ask: { body: JSON.stringify({ turns: [{ role: "user", text: "x".repeat(1_100_000) }] }) },
      status: 413,
      kind: "too_large",
      field: "body",
    },
    {
      ...append,
      name: "a query where none is taken",
      path: `/v1/runs/RUN/turns?expand=${SENTINEL}`,
      ask: { body: { turns } },
      status: 400,
      kind: "invalid_input",
      field: "expand",
    },
    {
      ...append,
      name: "a credential in a text",
      ask: { body: { turns: [{ role: "user", text: "password=hunter22" }] } },
      status: 422,
      kind: "credential_in_text",
      field: "turns.0.text",
    },
    {
      ...append,
      name: "an idempotency key with a space",
      ask: { body: { turns }, headers: { "idempotency-key": `${SENTINEL} x` } },
      status: 400,
      kind: "invalid_input",
      field: "idempotency-key",
    },
    {
      ...append,
      name: "an idempotency key of 201 characters",
      ask: { body: { turns }, headers: { "idempotency-key": "k".repeat(201) } },
      status: 400,
      kind: "invalid_input",
      field: "idempotency-key",
    },
    {
      ...append,
      name: "an empty idempotency key",
      ask: { body: { turns }, headers: { "idempotency-key": "" } },
      status: 400,
      kind: "invalid_input",
      field: "idempotency-key",
    },
    {
      ...append,
      name: "a run that isn't a run id",
      path: `/v1/runs/${SENTINEL}/turns`,
      ask: { body: { turns } },
      status: 404,
      kind: "not_found",
    },
    {
      ...append,
      name: "a run that nobody has",
      path: `/v1/runs/${NOBODY}/turns`,
      ask: { body: { turns } },
      status: 404,
      kind: "not_found",
    },
    {
      ...append,
      name: "another tenant's run",
      ask: { as: { tenant: "bank-nz" }, body: { turns } },
      status: 404,
      kind: "not_found",
    },
    {
      ...list,
      name: "an idempotency key on a read",
      ask: { headers: { "idempotency-key": "k" } },
      status: 400,
      kind: "invalid_input",
      field: "idempotency-key",
    },
    {
      ...append,
      name: "an idempotency key on what keeps no reply",
      operation: "recall_turns",
      path: "/v1/runs/RUN/recall",
      ask: { body: { query: "fee" }, headers: { "idempotency-key": SENTINEL } },
      status: 400,
      kind: "invalid_input",
      field: "idempotency-key",
    },
    {
      ...list,
      name: "a body on a read",
      ask: { body: { user_id: SENTINEL } },
      status: 400,
      kind: "invalid_input",
      field: "body",
    },
    {
      ...list,
      name: "an unknown query key",
      path: `/v1/runs/RUN/turns?filter=${SENTINEL}`,
      status: 400,
      kind: "invalid_input",
    },
    {
      ...list,
      name: "a scope in the query",
      path: `/v1/runs/RUN/turns?tenant=${SENTINEL}`,
      status: 400,
      kind: "scope_in_input",
      field: "tenant",
    },
    {
      ...list,
      name: "a cursor of nobody",
      path: `/v1/runs/RUN/turns?cursor=${SENTINEL}`,
      status: 400,
      kind: "invalid_input",
      field: "cursor",
    },
    {
      ...list,
      name: "a repeated query key",
      path: "/v1/runs/RUN/turns?limit=1&limit=2",
      status: 400,
      kind: "invalid_input",
      field: "limit",
    },
    ...[
      "-1",
      "1.5",
      "1e9",
      "abc",
      "",
      "%20",
      "+1",
      "01",
      "0x10",
      "201",
      "9999999999999999",
      "%00",
    ].map(
      (limit): Case => ({
        ...list,
        name: `limit=${limit}`,
        path: `/v1/runs/RUN/turns?limit=${limit}`,
        status: 400,
        kind: "invalid_input",
        field: "limit",
      }),
    ),
    ...[
      "x-tenant",
      "x-tenant-id",
      "x-user-id",
      "x-subject",
      "x-workspace",
      "x-session",
      "x-run",
      "tenant_id",
      "x-muniment-tenant",
    ].map(
      (header): Case => ({
        ...list,
        name: `the header ${header}`,
        ask: { headers: { [header]: SENTINEL } },
        status: 400,
        kind: "scope_in_input",
        field: header,
      }),
    ),
    {
      method: "GET",
      path: "/v1/audit",
      operation: "read_audit",
      name: "the audit trail for an application",
      status: 403,
      kind: "denied",
    },
    {
      method: "GET",
      path: "/v1/packs/nope",
      operation: "explain_pack",
      name: "a pack that isn't a pack id",
      status: 404,
      kind: "not_found",
    },
    {
      method: "PUT",
      path: "/v1/routes/Bad%00Id",
      operation: "put_route",
      name: "a NUL in a path",
      ask: { as: OPERATOR, body: {} },
      status: 400,
      kind: "invalid_input",
      field: "route_id",
    },
    {
      method: "POST",
      path: `/v1/subjects/${"%E2%82%AC".repeat(257)}/sessions/s/runs`,
      operation: "start_run",
      name: "a subject of 257 characters",
      ask: { body: {} },
      status: 400,
      kind: "invalid_input",
      field: "subject",
    },
    {
      method: "PUT",
      path: "/v1/runs/RUN/stages/one",
      operation: "complete_stage",
      name: "a value nested too deep",
      ask: { body: deep },
      status: 400,
      kind: "invalid_input",
      field: "body",
    },
    {
      method: "PUT",
      path: "/v1/runs/RUN/working",
      operation: "write_working",
      name: "a new goal",
      ask: { body: { goal: SENTINEL } },
      status: 409,
      kind: "goal_immutable",
      field: "goal",
    },
  ];

  it.each(cases)(
    "S5-14 S1-31 answers $name with a problem that repeats nothing, and one audit row",
    async ({ method = "GET", path = "", ask, status, kind, field, operation }) => {
      const reply = await server.ask(method, path.replace("RUN", run), ask);
      expect({ status: reply.statusCode, kind: kindIn(reply) }).toEqual({ status, kind });
      const requestId = String(reply.headers["x-request-id"]);
      expect(reply.headers["content-type"]).toMatch(/^application\/problem\+json\b/);
      expect(problemIn(reply)).toMatchObject({
        status,
        request_id: requestId,
        title: expect.any(String),
      });
      if (field !== undefined) expect(problemIn(reply).field).toBe(field);
      expect(reply.body).not.toContain(SENTINEL);
      expect(await server.audited(reply)).toEqual([
        { operation, refusal: kind, request_id: requestId },
      ]);
    },
  );

  it("S1-09 an id that can't be one of ours leaves its HMAC in the trail, like any other that isn't the caller's", async () => {
    const at = ["runs/RUN/turns", "packs/RUN"].map((path) => `/v1/${path}`);
    for (const path of at) {
      const replies = [
        await server.ask("GET", path.replace("RUN", SENTINEL)),
        await server.ask("GET", path.replace("RUN", NOBODY)),
      ];
      for (const reply of replies) {
        expect([reply.statusCode, kindIn(reply)]).toEqual([404, "not_found"]);
        const rows = await server.m.db.query(
          "select foreign_ref from muniment.audit where request_id = $1",
          [String(reply.headers["x-request-id"])],
        );
        expect(rows).toEqual([{ foreign_ref: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
      }
    }
  });
});
