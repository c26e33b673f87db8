import { expect, it } from "vitest";
import { putChat, startRun } from "./bank.js";
import { describeDirectory, describeEachPlace } from "./place.js";
import { rawRequest } from "./raw-request.js";
import { runCommand, type Service, startService, succeed } from "./service.js";

const SERVE = ["serve", "--port", "0", "--json"];

interface Turns {
  readonly turns: readonly { readonly text: string }[];
}

async function textsOf(service: Service, run: string): Promise<readonly string[]> {
  const { turns } = await succeed<Turns>(service.ask("GET", `/v1/runs/${run}/turns?limit=200`));
  return turns.map(({ text }) => text);
}

function append(service: Service, run: string, text: string) {
  const body = { turns: [{ role: "user", text }] };
  return service.ask("POST", `/v1/runs/${run}/turns`, { body });
}

/** What people are told is broken to fit their terminal. */
function oneLine(said = ""): string {
  return said.replaceAll(/\s+/g, " ");
}

describeDirectory("data directory", (doors) => {
  it("a second service on one directory is refused with the holder's process and URL", async () => {
    const place = await doors.place();
    const first = await doors.serve(place);
    const second = await runCommand(place, SERVE);
    expect(second.code).toBe(1);
    expect(oneLine(second.output)).toContain(`process ${first.pid}`);
    expect(second.output).toContain(first.url);
    expect((await first.ask("GET", "/ready", { as: null })).status).toBe(200);
  });

  it("of two services that start at once one serves, and the writes of both callers are kept", async () => {
    const place = await doors.place();
    const outcomes = await Promise.allSettled([startService(place), startService(place)]);
    const services = outcomes.flatMap((it) => (it.status === "fulfilled" ? [it.value] : []));
    doors.closing(() => Promise.all(services.map((service) => service.end("SIGKILL"))));
    const [refused] = outcomes.flatMap((it) =>
      it.status === "rejected" ? [String(it.reason)] : [],
    );
    expect(services.length).toBe(1);
    const [service] = services as [Service];
    expect(oneLine(refused)).toContain(`process ${service.pid}`);
    await putChat(service);
    const { run_id: run } = await startRun(service, "jane", "s");
    const said = ["a", "b"].flatMap((who) => Array.from({ length: 20 }, (_, n) => `${who}${n}`));
    const answers = await Promise.all(said.map((text) => append(service, run, text)));
    expect(answers.map(({ status }) => status)).toEqual(said.map(() => 201));
    expect((await textsOf(service, run)).toSorted()).toEqual(said.toSorted());
  });

  it("the directory of a killed service opens again, whatever its lock says", async () => {
    const place = await doors.place();
    const first = await doors.serve(place);
    await putChat(first);
    const { run_id: run } = await startRun(first, "jane", "s");
    expect((await append(first, run, "before")).status).toBe(201);
    expect(await first.end("SIGKILL")).toBe("SIGKILL");
    const second = await doors.serve(place);
    expect(await textsOf(second, run)).toEqual(["before"]);
    expect((await append(second, run, "after")).status).toBe(201);
  });

  it("a command goes through the service that holds the directory", async () => {
    const place = await doors.place();
    const service = await doors.serve(place);
    await putChat(service);
    const command = ["route", "list", "--tenant", "bank-au", "--json"];
    const listed = await runCommand(place, command);
    expect([listed.code, listed.output]).toEqual([0, expect.stringContaining("chat")]);
    expect((await service.ask("GET", "/ready", { as: null })).status).toBe(200);
  });
});

describeEachPlace("graceful stop", (doors) => {
  it("answers the request in flight, refuses new ones, and ends with 0", async () => {
    const place = await doors.place();
    const service = await doors.serve(place);
    await putChat(service);
    const { run_id: run } = await startRun(service, "jane", "s");
    const body = JSON.stringify({ turns: [{ role: "user", text: "in flight" }] });
    const head = [
      `POST /v1/runs/${run}/turns HTTP/1.1`,
      "host: 127.0.0.1",
      `authorization: Bearer ${await service.token()}`,
      "content-type: application/json",
      `content-length: ${body.length}`,
      "expect: 100-continue",
      "",
      "",
    ].join("\r\n");
    const flying = rawRequest(service.port, head + body.slice(0, 9));
    // The server has the head, so the request is under way.
    await flying.heard("100 Continue");
    const exit = service.end("SIGTERM");
    await refusing(service);
    flying.socket.write(body.slice(9));
    await flying.heard("turn_ids");
    expect(flying.said()).toContain("HTTP/1.1 201");
    expect(await exit).toBe(0);
    expect(await place.query("select seq::int from muniment.turn")).toEqual([{ seq: 1 }]);
  });

  /** Resolves when the service takes no new requests. */
  async function refusing(service: Service): Promise<void> {
    for (;;) {
      const answer = await service.ask("GET", "/health", { as: null }).catch(() => null);
      if (answer === null || answer.status === 503) return;
    }
  }
});
