import { beforeAll, expect, it } from "vitest";
import type { DevClaims } from "../../src/policy/dev-issuer.js";
import { putChat, startRun } from "./bank.js";
import { describeEachPlace, type Place } from "./place.js";
import { rawRequest } from "./raw-request.js";
import { type Answer, customer, type Service, succeed } from "./service.js";

const POOL = 4;
const PEOPLE = 8;
const ROUNDS = 25;
/** One round of five in which nobody gives up. */
const GIVES_NOT_UP = 4;

interface Person {
  readonly name: string;
  readonly word: string;
  readonly claims: Partial<DevClaims>;
  readonly run: string;
  /** Texts of turns: acknowledged, and sent without hearing of it. */
  readonly kept: string[];
  readonly doubtful: string[];
}

describeEachPlace("aborting clients", (doors) => {
  let place: Place;
  let service: Service;
  let people: readonly Person[];
  /** Longer than most requests take on this machine, so that some are answered and some aren't. */
  let abortMsMax = 0;
  /** Answers that came through, with whose they are. */
  const answered: { readonly person: Person; readonly answer: Answer }[] = [];

  beforeAll(async () => {
    place = await doors.place();
    service = await doors.serve(place, { MUNIMENT_POOL_CONNECTIONS: String(POOL) });
    await putChat(service);
    people = await Promise.all(
      Array.from({ length: PEOPLE }, async (_, index): Promise<Person> => {
        const name = `person${index}`;
        const word = `zqword${String.fromCharCode(97 + index).repeat(4)}`;
        // The same session id for everybody: ids of one person mean nothing to another.
        const { run_id: run } = await startRun(service, name, "s", { goal: word });
        return { name, word, claims: customer(name), run, kept: [], doubtful: [] };
      }),
    );
    const from = performance.now();
    await Promise.all(people.map((person) => knock(person, GIVES_NOT_UP)));
    abortMsMax = 2 * (performance.now() - from);
  });

  /** One request of a person, given up after a random time or let through. */
  async function knock(person: Person, round: number): Promise<void> {
    const { run, word, claims: as } = person;
    const at = `/v1/runs/${run}`;
    const text = `${word} ${crypto.randomUUID()}`;
    const post = (path: string, body: object) => ({ method: "POST", path, body }) as const;
    const requests = [
      post(`${at}/turns`, { turns: [{ role: "user", text }] }),
      { method: "GET", path: `${at}/turns` },
      post(`${at}/recall`, { query: "zqword zqwordaaaa zqwordbbbb" }),
      post(`${at}/pack`, {}),
      { method: "GET", path: at },
    ] as const;
    const { method, path, ...body } = requests[round % requests.length] ?? requests[1];
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), Math.random() * abortMsMax);
    const isWrite = path.endsWith("/turns") && method === "POST";
    const signal = round % 5 === GIVES_NOT_UP ? {} : { signal: abort.signal };
    const answer = await service.ask(method, path, { as, ...body, ...signal }).catch(() => null);
    clearTimeout(timer);
    if (isWrite) (answer === null ? person.doubtful : person.kept).push(text);
    if (answer !== null) answered.push({ person, answer });
  }

  /** Half of a request, or a whole one, on a socket that is destroyed at a random point. */
  async function hangUp({ run, claims, word }: Person): Promise<void> {
    const body = JSON.stringify({ query: word });
    const request = [
      `POST /v1/runs/${run}/recall HTTP/1.1`,
      "host: 127.0.0.1",
      `authorization: Bearer ${await service.token(claims)}`,
      "content-type: application/json",
      `content-length: ${body.length}`,
      "",
      body,
    ].join("\r\n");
    const cut = Math.ceil(Math.random() * request.length);
    const { socket, ended } = rawRequest(
      service.port,
      Math.random() < 0.5 ? request : request.slice(0, cut),
    );
    socket.once("connect", () => setTimeout(() => socket.destroy(), Math.random() * abortMsMax));
    await ended;
  }

  it("S1-09 S5-01 nobody gets another's rows while clients give up in mid-flight", async () => {
    await Promise.all(
      people.map(async (person) => {
        for (let round = 0; round < ROUNDS; round++) {
          await Promise.all([knock(person, round), knock(person, round + 2), hangUp(person)]);
        }
      }),
    );
    expect(answered.length).toBeGreaterThan(PEOPLE * 5);
    for (const { person, answer } of answered) {
      expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
      for (const other of people.filter((it) => it !== person)) {
        expect(answer.text).not.toContain(other.word);
        expect(answer.text).not.toContain(other.run);
      }
    }
  });

  it("S1-09 what was acknowledged is there once, what was given up is there once or not at all", async () => {
    for (const { run, claims: as, kept, doubtful } of people) {
      const path = `/v1/runs/${run}/turns?limit=200`;
      const { turns } = await succeed<{ readonly turns: readonly { readonly text: string }[] }>(
        service.ask("GET", path, { as }),
      );
      const texts = turns.map(({ text }) => text);
      expect(new Set(texts).size).toBe(texts.length);
      expect(texts).toEqual(expect.arrayContaining(kept));
      expect(texts.filter((text) => !kept.includes(text) && !doubtful.includes(text))).toEqual([]);
    }
  });

  it("the service is healthy, and each connection of its pool is free again", async () => {
    expect((await service.ask("GET", "/ready", { as: null })).status).toBe(200);
    const asks = people.flatMap((person) => Array.from({ length: POOL }, () => person));
    const answers = await Promise.all(
      asks.map(({ run, claims: as }) => service.ask("GET", `/v1/runs/${run}`, { as })),
    );
    expect(answers.map(({ status }) => status)).toEqual(asks.map(() => 200));
    if (doors.name === "pglite") return;
    const connections = await place.query<{ readonly state: string }>(
      "select state from pg_stat_activity where datname = current_database() and application_name = 'muniment'",
    );
    expect(connections.length).toBeLessThanOrEqual(POOL);
    expect(connections.filter(({ state }) => state.startsWith("idle in"))).toEqual([]);
  });

  it("S1-09 two callers on one connection with one request id each get their own answer", async () => {
    const [one, other] = people as [Person, Person];
    const head = async ({ run, claims }: Person, more = "") =>
      [
        `GET /v1/runs/${run} HTTP/1.1`,
        "host: 127.0.0.1",
        `authorization: Bearer ${await service.token(claims)}`,
        "x-request-id: 2",
        `${more}\r\n\r\n`,
      ].join("\r\n");
    const pipelined = rawRequest(
      service.port,
      (await head(one, "accept: */*")) + (await head(other, "connection: close")),
    );
    const said = await pipelined.ended;
    const [, first = "", second = ""] = said.split("HTTP/1.1 200");
    expect([first.includes(one.word), first.includes(other.word)]).toEqual([true, false]);
    expect([second.includes(one.word), second.includes(other.word)]).toEqual([false, true]);
  });
});
