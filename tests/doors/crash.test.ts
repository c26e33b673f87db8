import { expect, it } from "vitest";
import type { DevClaims } from "../../src/policy/dev-issuer.js";
import { fieldBody, routeBody } from "../support/muniment.js";
import { putChat, type StartedRun, sessionPath, startRun } from "./bank.js";
import { describeEachPlace, type Place } from "./place.js";
import { type Answer, APP, OPERATOR, REVIEWER, type Service, succeed } from "./service.js";

const ROUNDS = { pglite: 4, "postgres 18": 3 } as const;
const WRITERS = 4;
const WRITES_PER_ROUND_MAX = 40;
/** As many as a route may have. */
const STAGES = Array.from({ length: 64 }, (_, index) => `stage${index}`);

/** A write, its key, and what it was answered with; null where the service died before. */
interface Write {
  readonly method: "PUT" | "POST";
  readonly path: string;
  readonly body: object;
  readonly key: string;
  /** The application where absent. */
  readonly as?: DevClaims;
  reply: string | null;
}

/** One person with a run of their own, and everything that was written to it. */
interface Writer {
  readonly run: string;
  readonly turns: Write[];
  readonly stages: Write[];
}

interface RunView {
  readonly goal: string;
  readonly resume_index: number;
  readonly slots: Readonly<Record<string, unknown>>;
  readonly checkpoint: { readonly step: number; readonly resume_index: number };
}

interface Fields {
  readonly fields: readonly { readonly value: number; readonly version: number }[];
}

interface Page {
  readonly turns: readonly { readonly text: string }[];
  readonly cursor: string | null;
}

describeEachPlace("kill -9", (doors) => {
  let place: Place;
  let service: Service;
  /** First writes of people who are new with them, by the id of the person. */
  const newcomers = new Map<string, Write>();
  /** Promotions of one person's field, each to the number of those before it. */
  const promotions: Write[] = [];

  function newWrite(method: Write["method"], path: string, body: object): Write {
    return { method, path, body, key: crypto.randomUUID(), reply: null };
  }

  function nextOf({ run, turns, stages }: Writer, count: number): Write {
    if (count % 3 < 2 || stages.length === STAGES.length) {
      const body = { turns: [{ role: "user", text: `turn ${turns.length}` }] };
      turns.push(newWrite("POST", `/v1/runs/${run}/turns`, body));
      return turns.at(-1) as Write;
    }
    const body = { output: stages.length, notes: [`note ${stages.length}`] };
    stages.push(newWrite("PUT", `/v1/runs/${run}/stages/${STAGES[stages.length]}`, body));
    return stages.at(-1) as Write;
  }

  function nextNewcomer(): Write {
    const subject = `new ${newcomers.size}`;
    const body = { route_id: "chat", goal: subject };
    const write = newWrite("POST", `${sessionPath(subject, "s")}/runs`, body);
    newcomers.set(subject, write);
    return write;
  }

  function nextPromotion(): Write {
    const body = { value: promotions.length };
    const write = newWrite("PUT", "/v1/subjects/saver/fields/visits", body);
    promotions.push({ ...write, as: REVIEWER });
    return promotions.at(-1) as Write;
  }

  function send({ method, path, body, key, as = APP }: Write): Promise<Answer> {
    return service.ask(method, path, { as, body, headers: { "idempotency-key": key } });
  }

  /** Writes until the service is gone. Tells of each acknowledged write. */
  async function writing(next: (count: number) => Write, acknowledged: () => void): Promise<void> {
    for (let count = 0; ; count++) {
      const write = next(count);
      const answer = await send(write).catch(() => null);
      if (answer === null) return;
      expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
      write.reply = answer.text;
      acknowledged();
    }
  }

  /** Lets all write at once, and kills the service in the midst, after so many acknowledged writes. */
  async function crash(writers: readonly Writer[], after: number): Promise<void> {
    let left = after;
    let killed: Promise<unknown> | undefined;
    const acknowledged = (): void => {
      if (--left === 0) killed = service.end("SIGKILL");
    };
    await Promise.all([
      ...writers.map((writer) => writing((count) => nextOf(writer, count), acknowledged)),
      writing(nextNewcomer, acknowledged),
      writing(nextPromotion, acknowledged),
    ]);
    await killed;
  }

  /** The same request again: what was acknowledged is answered as before, what was in doubt is done now or was done. */
  async function repeat(write: Write): Promise<void> {
    const answer = await send(write);
    expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
    if (write.reply !== null) expect(withoutToken(answer.text)).toBe(withoutToken(write.reply));
    write.reply = answer.text;
  }

  /** A run's own token is made anew with each reply. */
  function withoutToken(text: string): string {
    return JSON.stringify({ ...JSON.parse(text), run_token: null });
  }

  const viewOf = (run: string) => succeed<RunView>(service.ask("GET", `/v1/runs/${run}`));

  /** The stages of a run are all there up to one of them, and its checkpoint is that one's. */
  function isWhole({ resume_index: done, slots, checkpoint }: RunView): void {
    expect(Object.keys(slots).toSorted()).toEqual(STAGES.slice(0, done).toSorted());
    expect([checkpoint.resume_index, checkpoint.step]).toEqual([done, done]);
  }

  /** The standing value is that of the last promotion, acknowledged or in doubt. */
  async function isPromoted(): Promise<void> {
    const acknowledged = promotions.filter(({ reply }) => reply !== null).length;
    const asked = service.ask("GET", "/v1/subjects/saver/fields");
    // Nobody was made before the first promotion.
    if (acknowledged === 0 && (await asked).status === 404) return;
    const [field] = (await succeed<Fields>(asked)).fields;
    if (acknowledged === 0 && field === undefined) return;
    expect(field?.value).toBe((field?.version ?? 0) - 1);
    expect(field?.version).toBeGreaterThanOrEqual(acknowledged);
    expect(field?.version).toBeLessThanOrEqual(promotions.length);
  }

  async function textsOf(run: string): Promise<readonly string[]> {
    const texts: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const path = `/v1/runs/${run}/turns?limit=200${after}`;
      const page: Page = await succeed<Page>(service.ask("GET", path));
      texts.push(...page.turns.map(({ text }) => text));
      cursor = page.cursor;
    }
    return texts;
  }

  it("S3-02 S3-05 S2-22 S1-31 whenever it comes, each acknowledged write is there once, with its audit row, and none is half there", async () => {
    place = await doors.place();
    service = await doors.serve(place);
    const stages = STAGES.map((stage_id) => ({ stage_id, tools: [] }));
    await putChat(service, routeBody({ stages }));
    const value_schema = { type: "integer", minimum: 0, maximum: 100_000 };
    const visits = { as: OPERATOR, body: fieldBody({ value_schema }) };
    await succeed(service.ask("PUT", "/v1/fields/visits", visits));
    const writers: Writer[] = [];
    for (let index = 0; index < WRITERS; index++) {
      const { run_id: run } = await startRun(service, `writer ${index}`, "s");
      writers.push({ run, turns: [], stages: [] });
    }
    const checked = new Set<Write>();
    for (let round = 0; round < ROUNDS[doors.name]; round++) {
      await crash(writers, 1 + Math.floor(Math.random() * WRITES_PER_ROUND_MAX));
      service = await doors.serve(place);
      for (const { run, stages: sent } of writers) {
        const view = await viewOf(run);
        isWhole(view);
        const acknowledged = sent.filter(({ reply }) => reply !== null).length;
        expect(view.resume_index).toBeGreaterThanOrEqual(acknowledged);
        expect(view.resume_index).toBeLessThanOrEqual(sent.length);
      }
      await isPromoted();
      const sent = writers.flatMap((writer) => [...writer.turns, ...writer.stages]);
      const all = [...sent, ...newcomers.values(), ...promotions];
      for (const write of all.filter((it) => !checked.has(it))) {
        await repeat(write);
        checked.add(write);
      }
    }
    for (const { run, turns, stages: sent } of writers) {
      const said = turns.map((_, index) => `turn ${index}`);
      expect((await textsOf(run)).toSorted()).toEqual(said.toSorted());
      const view = await viewOf(run);
      isWhole(view);
      expect(view.resume_index).toBe(sent.length);
    }
    for (const [subject, { reply }] of newcomers) {
      const { run_id: run } = JSON.parse(reply ?? "") as StartedRun;
      expect((await viewOf(run)).goal).toBe(subject);
    }
    await isPromoted();
    await service.end("SIGTERM");
    await isAudited();
  }, 400_000);

  /** Each turn, slot, run and promotion has one audit row that says it was written, and each audit row its row. */
  async function isAudited(): Promise<void> {
    const rows = await place.query<{ readonly kind: string; readonly n: number }>(`
      with written as (
        select tenant_id, w ->> 'kind' as kind, case w ->> 'kind' when 'slot' then run_id || id else id end as id
        from muniment.audit, jsonb_array_elements(memory_writes) as w,
          jsonb_array_elements_text(w -> 'ids') as id
        where verdict = 'allow' and w ->> 'kind' in ('turn', 'slot', 'run', 'promotion')
      ), kept as (
        select tenant_id, 'turn' as kind, turn_id::text as id from muniment.turn
        union all select tenant_id, 'run', run_id::text from muniment.run
        union all select tenant_id, 'promotion', promotion_id::text from muniment.promotion
        union all select tenant_id, 'slot', run_id || item_key from muniment.working where class = 'slot'
      )
      select coalesce(kept.kind, written.kind) as kind, count(*)::int as n
      from kept full join written on written.tenant_id = kept.tenant_id
        and written.kind = kept.kind and written.id = kept.id
      group by coalesce(kept.kind, written.kind), kept.id, written.id
      having count(*) <> 1 or kept.id is null or written.id is null`);
    expect(rows).toEqual([]);
  }
});
