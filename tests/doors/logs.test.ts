import { beforeAll, expect, it } from "vitest";
import { JANE, MAIN, plant, putChat, SENTINEL, startRun, type Target } from "./bank.js";
import { DOORS, type Door, type DoorIds, pathOf } from "./door.js";
import { describeEachPlace, type Place, queryPostgres } from "./place.js";
import { rawRequest } from "./raw-request.js";
import { type Ask, customer, type Service } from "./service.js";

/** Spellings in which something of a caller could come back to the log. */
const SPELLINGS = [
  SENTINEL,
  Buffer.from(SENTINEL).toString("hex"),
  ...[0, 1, 2].map((shift) => base64Core(SENTINEL, shift)),
];

/** What stays the same of a text's base64, wherever the text begins. */
function base64Core(text: string, shift: number): string {
  const encoded = Buffer.from("x".repeat(shift) + text).toString("base64");
  return encoded.slice(shift === 0 ? 0 : 4, -4);
}

describeEachPlace("log of a started service", (doors) => {
  let place: Place;
  let service: Service;
  let target: Target;

  beforeAll(async () => {
    place = await doors.place();
    service = await doors.serve(place, { MUNIMENT_LOG_LEVEL: "trace" });
    await putChat(service);
    target = await plant(service);
  });

  const ids = (): DoorIds => ({ ...target, subject: JANE, session: MAIN });
  const sentinels = (): DoorIds => ({
    ...ids(),
    run: SENTINEL,
    pack: SENTINEL,
    subject: SENTINEL,
    session: SENTINEL,
    route: SENTINEL,
  });

  /** One door with the sentinel wherever a caller can put something, allowed and refused. */
  async function knock(door: Door): Promise<void> {
    const { method, path } = door.operation;
    const as = door.owner;
    const body = door.body?.(ids());
    const [own, odd] = [pathOf(path, ids()), pathOf(path, sentinels())];
    const headers = {
      cookie: SENTINEL,
      referer: `http://${SENTINEL}/`,
      "user-agent": SENTINEL,
      "x-request-id": SENTINEL,
      traceparent: SENTINEL,
    };
    const key = { "idempotency-key": `${door.action}-${SENTINEL}` };
    const asks: readonly (readonly [string, Ask])[] = [
      [own, { as, headers: door.isRepeatable ? { ...headers, ...key } : headers }],
      [own, { as, headers: key }],
      [own, { as: customer(SENTINEL, SENTINEL) }],
      [own, { as: { ...as, tenant: SENTINEL, workspace: SENTINEL, id: SENTINEL } }],
      [own, { token: SENTINEL }],
      [own, { token: `${await service.token({ id: SENTINEL })}x` }],
      [odd, { as }],
      [`${own}?${SENTINEL}=${SENTINEL}&cursor=${SENTINEL}&limit=${SENTINEL}`, { as }],
      [`${own}/${SENTINEL}`, { as }],
      [own, { as, headers: { "x-user-id": SENTINEL } }],
    ];
    for (const [at, ask] of asks) await service.ask(method, at, { body, ...ask });
    if (method === "GET") return;
    const bodies = [`{"${SENTINEL}`, { [SENTINEL]: SENTINEL }, { ...body, user_id: SENTINEL }];
    for (const bad of bodies) await service.ask(method, own, { as, body: bad });
  }

  /** The database refuses a row, and quotes it; connections break under requests. */
  async function breakDatabase(): Promise<void> {
    const { run_id: run } = await startRun(service, JANE, "broken");
    const turns = [{ role: "user", text: SENTINEL, speaker: SENTINEL }];
    const append = () => service.ask("POST", `/v1/runs/${run}/turns`, { body: { turns } });
    await place.query("alter table muniment.turn add constraint full_up check (seq < 0) not valid");
    expect((await append()).status).toBe(500);
    await place.query("alter table muniment.turn drop constraint full_up");
    const asks = Array.from({ length: 16 }, append);
    const url = place.environment.MUNIMENT_MIGRATE_URL ?? "";
    await queryPostgres(
      url,
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'muniment%' and datname = current_database()",
    );
    const statuses = (await Promise.all(asks)).map(({ status }) => status);
    const odd = statuses.filter((status) => status !== 201 && status !== 503);
    const faults = service.output().match(/"fault":.*/g) ?? [];
    expect(odd, faults.slice(-20).join("\n")).toEqual([]);
    expect((await append()).status).toBe(201);
  }

  it("S5-14 holds nothing that a caller sent, at the lowest level, whatever happens", {
    timeout: 180_000,
  }, async () => {
    for (const door of DOORS) await knock(door);
    await rawRequest(service.port, `GET /${SENTINEL} HTTP/1.1\r\nbad ${SENTINEL}\r\n\r\n`).ended;
    await rawRequest(service.port, `${SENTINEL}\r\n\r\n`).ended;
    if (doors.name !== "pglite") await breakDatabase();
    expect(await service.end("SIGTERM")).toBe(0);
    const said = service.output();
    expect(said.split("\n").length).toBeGreaterThan(DOORS.length * 9);
    for (const spelling of SPELLINGS)
      expect(said.toLowerCase()).not.toContain(spelling.toLowerCase());
    // The token that `serve` prints for its operator is the only one.
    expect(said.match(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g)?.length).toBe(1);
  });
});
