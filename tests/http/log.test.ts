import { connect } from "node:net";
import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestServer, type TestServer } from "./server.js";

const SENTINEL = "zq-sentinel-41";
const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"];

/** Sends bytes that may not be HTTP; resolves with what the server says before it hangs up. */
function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk) => {
      said += chunk.toString("utf8");
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(said));
  });
}

describeEachDatabase("http log", (database) => {
  let server: TestServer;
  let port: number;

  beforeAll(async () => {
    server = await openTestServer(database, {
      ready: () => Promise.reject(new Error(SENTINEL)),
    });
    await server.app.listen({ host: "127.0.0.1", port: 0 });
    const address = server.app.server.address();
    port = typeof address === "object" ? (address?.port ?? 0) : 0;
  });

  /** Requests with the sentinel wherever a caller can put something, allowed and refused. */
  async function exercise(): Promise<void> {
    const { ask, m } = server;
    const run = await server.startRun(SENTINEL, SENTINEL);
    const body = {
      turns: [
        {
          role: "user",
          text: SENTINEL,
          speaker: SENTINEL,
          source_id: crypto.randomUUID() + SENTINEL,
        },
      ],
    };
    const headers = {
      "user-agent": SENTINEL,
      cookie: SENTINEL,
      referer: SENTINEL,
      "idempotency-key": crypto.randomUUID() + SENTINEL,
    };
    const at = `/v1/runs/${run}`;
    await ask("POST", `${at}/turns`, { body, headers });
    await ask("POST", `${at}/pack`, { body: { recall: { query: SENTINEL } } });
    await ask("POST", `${at}/recall`, { body: { query: SENTINEL, [SENTINEL]: SENTINEL } });
    await ask("GET", `${at}/turns?cursor=${SENTINEL}&${SENTINEL}=1`);
    await ask("GET", `/v1/runs/${SENTINEL}`);
    await ask("GET", `/${SENTINEL}/%zz`);
    await ask("GET", `/${SENTINEL}`);
    await ask("POST", `${at}/turns`, { body: `{"${SENTINEL}` });
    await ask("POST", `${at}/turns`, { body, headers: { "x-user-id": SENTINEL } });
    await ask("POST", `${at}/turns`, { body, headers: { "content-type": SENTINEL } });
    await ask("GET", "/v1/audit", { as: { id: SENTINEL, subject: SENTINEL, kind: "human" } });
    await ask("GET", "/v1/audit", { as: null, headers: { authorization: `Bearer ${SENTINEL}` } });
    await ask("GET", "/ready");
    // The database refuses a row and quotes it in the error's detail.
    await m.db.query(
      "alter table muniment.turn add constraint full_up check (role <> 'user') not valid",
    );
    const failed = await ask("POST", `${at}/turns`, { body });
    await m.db.query("alter table muniment.turn drop constraint full_up");
    expect(failed.statusCode).toBe(500);
    expect(failed.body).not.toContain("full_up");
    expect(await sendRaw(port, `GET /${SENTINEL} HTTP/1.1\r\nbroken ${SENTINEL}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    expect(await sendRaw(port, `GET / HTTP/1.1\r\nx: ${SENTINEL.repeat(2_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 .*application\/problem\+json.*too_large/s,
    );
  }

  it.each(LEVELS)("S5-14 holds nothing that a caller sent at level %s", async (level) => {
    server.log.level = level;
    server.lines.length = 0;
    await exercise();
    const text = server.lines.join("");
    expect(text).not.toContain(SENTINEL);
    // As bytes in a list, which is how a buffer is written.
    expect(text).not.toContain([...Buffer.from(SENTINEL)].join(","));
    expect(text).not.toContain("eyJ");
    expect(text).not.toMatch(/why|127\.0\.0\.1|fee_explain/);
    expect(server.lines.length > 0).toBe(level !== "fatal");
  });

  it("says what, how, how long, for which tenant, and why it was refused", async () => {
    server.log.level = "trace";
    server.lines.length = 0;
    const run = await server.startRun();
    const found = await server.ask("GET", `/v1/runs/${run}`);
    const { tenant } = server.m.services.directory;
    const tenantId = (await tenant("bank-au")).tenantId;
    expect(JSON.parse(server.lines.at(-1) ?? "")).toMatchObject({
      level: 30,
      request_id: found.headers["x-request-id"],
      method: "GET",
      route: "/v1/runs/:run",
      status: 200,
      ms: expect.any(Number),
      action: "read_run",
      tenant: tenantId,
    });
    await server.ask("GET", `/v1/runs/${crypto.randomUUID()}`);
    expect(JSON.parse(server.lines.at(-1) ?? "")).toMatchObject({
      level: 30,
      status: 404,
      error: "not_found",
    });
    const authorization = `Bearer ${await server.token()}`;
    server.m.clock.forward({ hours: 2 });
    await server.ask("GET", "/v1/audit", { as: null, headers: { authorization } });
    expect(JSON.parse(server.lines.at(-1) ?? "")).toMatchObject({
      level: 40,
      status: 401,
      error: "unauthenticated",
      fault: { code: "ERR_JWT_EXPIRED", claim: "exp" },
    });
    await server.ask("GET", "/elsewhere");
    expect(JSON.parse(server.lines.at(-1) ?? "")).toMatchObject({ status: 404, route: null });
  });

  it("tells the operator which rule of the database failed, and where in the code", async () => {
    const { ask, m, lines } = server;
    const run = await server.startRun();
    lines.length = 0;
    await m.db.query(
      "alter table muniment.turn add constraint full_up check (role <> 'user') not valid",
    );
    await ask("POST", `/v1/runs/${run}/turns`, {
      body: { turns: [{ role: "user", text: SENTINEL }] },
    });
    await m.db.query("alter table muniment.turn drop constraint full_up");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      level: 50,
      status: 500,
      error: "internal",
      action: "append_turns",
    });
    expect(lines.at(-1)).toContain('"code":"23514","constraint":"full_up"');
  });
});
