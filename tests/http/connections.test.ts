import { type IncomingMessage, request as send } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import { openTestServer, type TestServer } from "./server.js";

const CALLERS = 4;
const ROUNDS = 8;

async function listening(server: TestServer): Promise<string> {
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  return `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`;
}

describeEachDatabase("http connections", (database) => {
  it("S1-09 under load with clients that hang up, nobody gets another's rows", async () => {
    const server = await openTestServer(database, { limits: { requestsPerMinute: 1_000_000 } });
    const url = await listening(server);
    const seen: string[] = [];

    async function talk(caller: number): Promise<void> {
      const mine = `own-words-${caller}-`;
      const run = await server.startRun(`subject-${caller}`, `session-${caller}`);
      const headers = {
        authorization: `Bearer ${await server.token()}`,
        "content-type": "application/json",
      };
      for (let round = 0; round < ROUNDS; round++) {
        const text = `${mine}${round}`;
        const turns = JSON.stringify({ turns: [{ role: "user", text }] });
        const aborting = new AbortController();
        const calls = [
          fetch(`${url}/v1/runs/${run}/turns`, { method: "POST", headers, body: turns }),
          fetch(`${url}/v1/runs/${run}/turns`, { headers, signal: aborting.signal }),
          fetch(`${url}/v1/runs/${run}/pack`, { method: "POST", headers, signal: aborting.signal }),
          fetch(`${url}/v1/runs/${run}/turns`, { headers }),
        ];
        // At different moments of the requests' lives: in the queue, in the database, on the way back.
        for (let tick = 0; tick < (caller * 7 + round * 3) % 23; tick++) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        aborting.abort();
        for (const call of await Promise.allSettled(calls)) {
          if (call.status === "rejected") continue;
          const body = await call.value.text().catch(() => "");
          seen.push(body);
          const words = body.match(/own-words-\d+-/g) ?? [];
          expect(words.filter((word) => word !== mine)).toEqual([]);
        }
      }
      const last = await fetch(`${url}/v1/runs/${run}/turns?limit=200`, { headers });
      expect(((await last.json()) as { turns: object[] }).turns).toHaveLength(ROUNDS);
    }

    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => talk(caller)));
    expect(seen.filter((body) => body.includes("own-words-")).length).toBeGreaterThan(ROUNDS);
  });

  it("answers what is in flight when it stops, and refuses what comes then", async () => {
    const server = await openTestServer(database);
    const url = await listening(server);
    const run = await server.startRun();
    const path = `/v1/runs/${run}/turns`;
    const token = await server.token();
    const body = JSON.stringify({ turns: [{ role: "user", text: "in flight" }] });

    // Half of the body is sent: the request is in flight until we send the rest.
    const [reply, request] = await new Promise<[Promise<IncomingMessage>, ReturnType<typeof send>]>(
      (resolve) => {
        const inFlight = send(`${url}${path}`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            "content-length": body.length,
          },
        });
        const answer = new Promise<IncomingMessage>((done, failed) => {
          inFlight.on("response", done);
          inFlight.on("error", failed);
        });
        inFlight.write(body.slice(0, 10), () => resolve([answer, inFlight]));
      },
    );
    const late = connect(Number(new URL(url).port), "127.0.0.1");
    let answered = "";
    late.on("data", (chunk) => {
      answered += chunk.toString("utf8");
    });
    late.write("GET /health HTTP/1.1\r\nhost: x\r\n");
    await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(200);
    const closing = server.app.close();
    late.end("\r\n");
    await new Promise((resolve) => late.on("close", resolve));
    expect(answered).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1.*docs\/errors\/unavailable/s);
    request.end(body.slice(10));
    const { statusCode, headers } = (await reply).resume();
    // An idle connection would hold the service until it times out.
    expect([statusCode, headers.connection]).toEqual([201, "close"]);
    await closing;
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  it("stops although a request never ends", async () => {
    const server = await openTestServer(database, { drainMs: 50 });
    const url = await listening(server);
    const request = send(`${url}/v1/runs/x/turns`, {
      method: "POST",
      headers: {
        "content-length": 100,
        "content-type": "application/json",
        authorization: `Bearer ${await server.token()}`,
      },
    });
    const ended = new Promise((resolve) => request.on("error", resolve));
    await new Promise((resolve) => request.write("{", resolve));
    await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(200);
    await server.app.close();
    await ended;
  });
});
