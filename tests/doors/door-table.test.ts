import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ACTIONS, REPEATABLE_ACTIONS } from "../../src/domain/action.js";
import type { ErrorKind } from "../../src/domain/errors.js";
import { OPERATIONS } from "../../src/http/operations.js";
import { STATUS_OF } from "../../src/http/problem.js";
import type { DevClaims } from "../../src/policy/dev-issuer.js";
import { routeBody } from "../support/muniment.js";
import { startRecord } from "../support/record.js";
import {
  auditOf,
  JANE,
  MAIN,
  memoryOf,
  plant,
  plantStore,
  SENTINEL,
  startRun,
  type Target,
} from "./bank.js";
import { DOORS, type Door, type DoorIds, OWN_ROUTES, pathOf } from "./door.js";
import { describeEachPlace } from "./place.js";
import {
  type Answer,
  APP,
  type Ask,
  customer,
  kindOf,
  OPERATOR,
  type Service,
  succeed,
} from "./service.js";

const MISSING = "01900000-0000-7000-8000-000000000000";
const READER = { ...APP, id: "reader", roles: ["reader"] };
const TENANTS = ["bank-au", "bank-nz"];
/** Somebody whom nobody misses: a stranger who may erase does. */
const LEAVER = "leaver";
/** Actions that no caller asks for. */
const INNER = [
  "sweep",
  "run_work",
  "compress_session",
  "observe_session",
  "list_unsealed",
  "consolidate_subject",
  "seal_segments",
  "list_unembedded",
  "embed_turns",
  "list_rotated",
  "reseal_subject",
  "replay_ledger",
  "replay_erasure",
  "resolve",
  "record_refusal",
];

/** Who isn't a party of Jane's run, by the name that a door's `foreign` table uses. */
interface Stranger {
  readonly name: string;
  /** What differs from the door's own caller. */
  readonly claims?: Partial<DevClaims>;
  readonly token?: string;
}

describe("door table", () => {
  it("has a row for each action that a caller may ask for", () => {
    const asked = ACTIONS.filter((action) => !INNER.includes(action));
    expect(DOORS.map(({ action }) => action).toSorted()).toEqual(asked.toSorted());
  });
});

describe("repeated keys", () => {
  it("S5-14 every operation either repeats its reply or refuses the key, and is tried below", () => {
    const repeatable = DOORS.filter((door) => door.isRepeatable).map(({ action }) => action);
    expect(repeatable.toSorted()).toEqual([...REPEATABLE_ACTIONS].toSorted());
  });
});

describeEachPlace("doors", (doors) => {
  let service: Service;
  let target: Target;
  let strangers: readonly Stranger[];
  let before: string;
  let began: number;

  beforeEach(() => {
    began = Date.now();
  });

  beforeAll(async () => {
    const record = await startRecord();
    doors.closing(() => record.close());
    service = await doors.serve(await doors.place(), { MUNIMENT_RECORD_URL: record.url });
    for (const [route, body] of Object.entries(OWN_ROUTES))
      await succeed(service.ask("PUT", `/v1/routes/${route}`, { as: OPERATOR, body }));
    await startRun(service, JANE, "other");
    const sibling = await startRun(service, JANE, MAIN);
    await startRun(service, LEAVER, MAIN);
    const toms = await startRun(service, "tom", "main");
    target = await plant(service);
    before = await memoryOf(service, target.run);
    strangers = [
      { name: "session", claims: customer(JANE, "other") },
      { name: "unborn", claims: customer(JANE, "unborn") },
      { name: "subject", claims: customer("tom") },
      { name: "subject", claims: customer("nobody") },
      { name: "bound", claims: { subject: "tom" } },
      { name: "workspace", claims: { workspace: "other" } },
      { name: "tenant", claims: { tenant: "bank-nz" } },
      { name: "nobody", claims: { roles: [] } },
      { name: "nobody", claims: { kind: "human", roles: [] } },
      { name: "agent", token: sibling.run_token },
      { name: "agent", token: toms.run_token },
    ];
  });

  /** What a door's own caller asks about: Jane's, or a route that nobody uses where routes are written. */
  const idsOf = ({ action }: Door): DoorIds => ({
    ...target,
    subject: action === "erase_subject" ? LEAVER : JANE,
    session: MAIN,
    route: action === "put_route" ? "probe" : "chat",
    ...fieldOf(action),
  });
  const fieldOf = (action: string): Pick<DoorIds, "field"> => {
    if (action === "put_field") return { field: "probe" };
    return action === "set_session_field" ? { field: "draft" } : {};
  };
  const missing = (): DoorIds => ({
    ...target,
    run: MISSING,
    pack: MISSING,
    candidate: MISSING,
    promotion: MISSING,
    erasure: MISSING,
    subject: "n",
    session: "n",
    route: "nothing",
  });

  const askOf = (door: Door, { claims, token }: Stranger): Ask =>
    token === undefined ? { as: { ...door.owner, ...claims } } : { token };
  const tenantOf = ({ claims }: Stranger): string => claims?.tenant ?? APP.tenant;

  function knock(door: Door, at: DoorIds, ask: Ask): Promise<Answer> {
    const { method, path } = door.operation;
    const body = door.body?.(at);
    return service.ask(method, pathOf(path, at), {
      ...ask,
      ...(body === undefined ? {} : { body }),
    });
  }

  /** Without what names this one request. */
  function plain({ status, headers, text, requestId }: Answer): object {
    const { date: _date, "x-request-id": _id, ...rest } = headers;
    return { status, headers: rest, text: text.replace(requestId, "") };
  }

  function holdsNothing(answer: Answer): void {
    expect(answer.text + JSON.stringify(answer.headers)).not.toContain(SENTINEL);
  }

  interface Refused {
    readonly tenant: string;
    readonly requestId: string;
    readonly kind: ErrorKind;
  }

  /** Each of these left one audit row, under its caller's tenant and with no id of the run that it was about. */
  async function leftOneRow(door: Door, refused: readonly Refused[]): Promise<void> {
    const wanted = new Map(refused.map((it) => [it.requestId, it]));
    const rows = [];
    for (const tenant of TENANTS) {
      const found = await auditOf(service, { tenant, verdict: "deny", since: began });
      rows.push(...found.map((row) => ({ tenant, row })));
    }
    const own = rows.filter(({ row }) => wanted.has(row.request_id));
    expect(
      own.map(({ tenant, row }) => [row.request_id, tenant, row.operation, row.refusal]).toSorted(),
    ).toEqual(
      refused
        .map(({ requestId, tenant, kind }) => [requestId, tenant, door.action, kind])
        .toSorted(),
    );
    for (const { row } of own.filter((it) => it.row.refusal === "not_found")) {
      for (const id of [target.run, target.earlier, target.pack]) {
        expect(JSON.stringify(row)).not.toContain(id);
      }
    }
  }

  const refusedBy = (answer: Answer, tenant: string): Refused => ({
    tenant,
    requestId: answer.requestId,
    kind: kindOf(answer) as ErrorKind,
  });

  it("covers each path of /openapi.json", async () => {
    const { paths } = (await service.ask("GET", "/openapi.json", { as: null })).json<{
      paths: Record<string, Record<string, { operationId: string }>>;
    }>();
    // Without `/health` and `/ready`, which are open to all.
    const served = Object.entries(paths)
      .filter(([path]) => path.startsWith("/v1/"))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId }]) => [operationId, method, path]),
      );
    const table = DOORS.map(({ action, operation: { method, path } }) => [
      action,
      method.toLowerCase(),
      path.replaceAll(/:(\w+)/g, "{$1}"),
    ]);
    expect(served.toSorted()).toEqual(table.toSorted());
  });

  describe.each(DOORS)("$action", (door) => {
    const owner: Ask = { as: door.owner };

    it("S5-14 S1-09 shows a stranger nothing, and answers a foreign id as a missing one", async () => {
      const refused: Refused[] = [];
      for (const stranger of strangers) {
        const { name } = stranger;
        const [ask, tenant] = [askOf(door, stranger), tenantOf(stranger)];
        const foreign = await knock(door, idsOf(door), ask);
        const expected = door.foreign?.[name] ?? "not_found";
        expect({ name, kind: kindOf(foreign) ?? "none" }).toEqual({ name, kind: expected });
        if (expected === "none" && door.isWhole && tenant === APP.tenant) continue;
        holdsNothing(foreign);
        // The audit trail is the tenant's: operators of each workspace read it, and find internal ids alone.
        if (expected === "none" && tenant === APP.tenant) continue;
        expect(foreign.text).not.toContain(target.run);
        if (expected === "none") continue;
        expect(foreign.status).toBe(STATUS_OF[expected]);
        refused.push(refusedBy(foreign, tenant));
        if (expected !== "not_found") continue;
        const absent = await knock(door, { ...idsOf(door), ...missing() }, ask);
        expect(plain(absent)).toEqual(plain(foreign));
        refused.push(refusedBy(absent, tenant));
      }
      await leftOneRow(door, refused);
      expect(await memoryOf(service, target.run)).toBe(before);
    });

    it("S5-14 is closed without a credential, with a wrong one and with an expired one", async () => {
      const good = await service.token(door.owner);
      const [head, payload, signature = ""] = good.split(".");
      const wrong = `${head}.${payload}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
      const expired = await service.tokenAt(new Date(Date.now() - 3_601_000), door.owner);
      const asks: readonly Ask[] = [{ as: null }, { token: wrong }, { token: expired }];
      const answers = [];
      for (const ask of asks) answers.push(await knock(door, idsOf(door), ask));
      for (const answer of answers) {
        expect([answer.status, kindOf(answer)]).toEqual([401, "unauthenticated"]);
        expect(answer.headers["www-authenticate"]).toBe("Bearer");
        holdsNothing(answer);
      }
      const unaudited = new Set(answers.map(({ requestId }) => requestId));
      for (const tenant of TENANTS) {
        const rows = await auditOf(service, { tenant, verdict: "deny", since: began });
        expect(rows.filter((row) => unaudited.has(row.request_id))).toEqual([]);
      }
    });

    it("S5-14 S5-02 takes no id of another kind", async () => {
      for (const at of door.otherKinds?.(target) ?? []) {
        const answer = await knock(door, { ...idsOf(door), ...at.ids }, { ...owner });
        expect({ at, kind: kindOf(answer) }).toEqual({ at, kind: at.refusal });
        expect(answer.status).toBe(STATUS_OF[at.refusal]);
        holdsNothing(answer);
        await leftOneRow(door, [refusedBy(answer, APP.tenant)]);
      }
      expect(await memoryOf(service, target.run)).toBe(before);
    });

    it("S5-02 S5-12 lets a read-only role read, and refuses its writes before any work", async () => {
      const answer = await knock(door, idsOf(door), { as: READER });
      if (door.reader) {
        expect([answer.status, answer.text]).toEqual([door.operation.status, answer.text]);
      } else {
        expect([answer.status, kindOf(answer)]).toEqual([403, "denied"]);
        holdsNothing(answer);
        await leftOneRow(door, [refusedBy(answer, APP.tenant)]);
      }
      expect(await memoryOf(service, target.run)).toBe(before);
    });

    it("S5-14 opens to its own caller", async () => {
      const own = await ownIds(door);
      const answer = await knock(door, own, owner);
      if (door.opens !== undefined) {
        expect([answer.status, kindOf(answer)]).toEqual([STATUS_OF[door.opens], door.opens]);
        return;
      }
      expect([answer.status, answer.text]).toEqual([door.operation.status, answer.text]);
      if (door.operation.isStream) {
        const lines = answer.text
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as object);
        expect([lines[0], lines.at(-1)]).toMatchObject([{ kind: "manifest" }, { kind: "trailer" }]);
        return;
      }
      expect(answer.json()).toMatchObject({ decision: { verdict: "allow" } });
    });

    if (!door.isRepeatable)
      it("S5-14 keeps no reply, so it refuses a key", async () => {
        const headers = { "idempotency-key": crypto.randomUUID() };
        const answer = await knock(door, idsOf(door), { ...owner, headers });
        expect([answer.status, kindOf(answer)]).toEqual([400, "invalid_input"]);
        expect(answer.json()).toMatchObject({ field: "idempotency-key" });
        await leftOneRow(door, [refusedBy(answer, APP.tenant)]);
      });

    if (door.isRepeatable)
      it("S5-02 S1-09 answers a repeated key of the same caller alone with the first reply", async () => {
        const own = await ownIds(door);
        const headers = { "idempotency-key": crypto.randomUUID() };
        const first = await knock(door, own, { ...owner, headers });
        expect([first.status, first.text]).toEqual([door.operation.status, first.text]);
        const again = await knock(door, own, { ...owner, headers });
        expect(withoutToken(again)).toEqual(withoutToken(first));
        const peer = await knock(door, own, { as: { ...door.owner, id: "peer" }, headers });
        expect(kindOf(peer) ?? "none").toBe(door.peer ?? "none");
        expect(withoutToken(peer)).not.toEqual(withoutToken(first));
        for (const stranger of strangers) {
          if (door.foreign?.[stranger.name] === "none") continue;
          const foreign = await knock(door, own, { ...askOf(door, stranger), headers });
          expect(foreign.status).toBeGreaterThanOrEqual(400);
          expect(foreign.text).not.toContain(own.run);
        }
      });
  });

  /** A run that operations may change, in a session of its own, with a slot and a pack. */
  async function ownIds({ action, ownRoute: route = "chat", prepare }: Door): Promise<DoorIds> {
    const session = `own-${crypto.randomUUID()}`;
    const earlier = await startRun(service, "anna", session);
    await service.ask("PUT", `/v1/runs/${earlier.run_id}/stages/facts`, { body: { output: 1 } });
    const run = await startRun(service, "anna", session, { route });
    const pack = await service.ask("POST", `/v1/runs/${run.run_id}/pack`, { body: {} });
    const { pack_id } = pack.json<{ pack_id: string }>();
    const said = { turns: [{ role: "user", text: `My word is ${SENTINEL}` }] };
    const { turn_ids } = await succeed<{ readonly turn_ids: readonly string[] }>(
      service.ask("POST", `/v1/runs/${run.run_id}/turns`, { body: said }),
    );
    const made = {
      run: run.run_id,
      earlier: earlier.run_id,
      pack: pack_id,
      token: run.run_token,
      turn: turn_ids[0] ?? "",
    };
    await prepare?.(service, run.run_id);
    const store = await plantStore(service, "anna", { proposed: "brisk", set: "calm" });
    return { ...target, ...made, ...store, ...fieldOf(action), subject: "anna", session, route };
  }

  /** A run's own token is made anew with each reply. */
  function withoutToken(answer: Answer): object {
    const { run_token: _token, ...reply } = answer.json<{ readonly run_token?: string }>();
    return reply;
  }

  it("S5-02 a cursor works for its caller and its list alone", async () => {
    await service.ask("PUT", "/v1/routes/second", { as: OPERATOR, body: routeBody() });
    const lists = [`/v1/runs/${target.run}/turns`, "/v1/routes", "/v1/audit"];
    const cursors: string[] = [];
    for (const path of lists) {
      const answer = await service.ask("GET", `${path}?limit=1`, { as: ownerOf(path) });
      cursors.push(answer.json<{ cursor: string }>().cursor);
    }
    for (const [place, path] of lists.entries()) {
      for (const [from, cursor] of cursors.entries()) {
        const peers = [{ ...ownerOf(path), id: "peer" }, ownerOf(path)];
        for (const as of from === place ? peers.slice(0, 1) : peers) {
          const answer = await service.ask("GET", `${path}?limit=1&cursor=${cursor}`, { as });
          expect([path, from, answer.status, kindOf(answer)]).toEqual([
            path,
            from,
            400,
            "invalid_input",
          ]);
          expect(answer.json()).toMatchObject({ field: "cursor" });
          holdsNothing(answer);
        }
      }
      const own = await service.ask("GET", `${path}?limit=1&cursor=${cursors[place]}`, {
        as: ownerOf(path),
      });
      expect([path, own.status]).toEqual([path, 200]);
    }
    const other = `/v1/runs/${target.earlier}/turns?limit=1&cursor=${cursors[0]}`;
    expect((await service.ask("GET", other)).status).toBe(400);
    const changed = `/v1/audit?limit=1&verdict=deny&cursor=${cursors[2]}`;
    expect((await service.ask("GET", changed, { as: OPERATOR })).status).toBe(400);
  });

  const ownerOf = (path: string) => (path.startsWith("/v1/runs") ? APP : OPERATOR);

  it("S1-09 S5-02 pages of 7 show each turn and each audit row once", async () => {
    const { run_id: run } = await startRun(service, "paul", "long");
    const said = Array.from({ length: 250 }, (_, index) => `line ${index}`);
    for (let from = 0; from < said.length; from += 50) {
      const turns = said.slice(from, from + 50).map((text) => ({ role: "user", text }));
      expect((await service.ask("POST", `/v1/runs/${run}/turns`, { body: { turns } })).status).toBe(
        201,
      );
    }
    const texts: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: { turns: { text: string }[]; cursor: string | null } = (
        await service.ask("GET", `/v1/runs/${run}/turns?limit=7${after}`)
      ).json();
      texts.push(...page.turns.map((turn) => turn.text));
      cursor = page.cursor;
    }
    expect(texts).toEqual(said.toReversed());
    const rows = (await auditOf(service, { tenant: "bank-nz", limit: 7 })).map(
      (row) => row.audit_id,
    );
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(14);
  });

  it("S1-09 a customer's two spellings of one id are one person", async () => {
    const [composed, decomposed] = ["caf\u00e9", "cafe\u0301"];
    const { run_id: run } = await startRun(service, composed, "s");
    for (const subject of [composed, decomposed]) {
      const own = await service.ask("GET", `/v1/runs/${run}`, { as: customer(subject) });
      expect(own.status).toBe(200);
      const turn = await service.ask(
        "POST",
        `/v1/subjects/${encodeURIComponent(decomposed)}/sessions/s/turn`,
        {
          as: customer(subject),
          body: {},
        },
      );
      expect([turn.status, turn.json<{ run_id: string }>().run_id]).toEqual([200, run]);
    }
  });

  it.each([
    '") or true or ("',
    'x" OR user_id = "admin',
    '{"$ne":null}',
    "*",
    "%",
    "jane%",
    "' or 1=1 --",
  ])("S5-03 the id %j means itself, in a path and in a token", async (id) => {
    const { run_id: run, run_token: token } = await startRun(service, id, id);
    for (const ask of [{ token }, { as: customer(id) }, { as: customer(id, id) }]) {
      expect((await service.ask("GET", `/v1/runs/${run}`, ask)).status).toBe(200);
      expect((await service.ask("GET", `/v1/runs/${target.run}`, ask)).status).toBe(404);
      const found = await service.ask("POST", `/v1/runs/${run}/recall`, {
        ...ask,
        body: { query: SENTINEL },
      });
      expect(found.json()).toMatchObject({ outcome: "no_matches", hits: [] });
    }
  });

  it("S5-14 the table and the served operations are one list", () => {
    expect(DOORS.map(({ operation }) => operation)).toEqual([...OPERATIONS]);
  });
});
