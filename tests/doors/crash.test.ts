import { expect, it } from "vitest";
import { routeBody } from "../support/muniment.js";
import { putChat, type StartedRun, sessionPath, startRun } from "./bank.js";
import { describeEachPlace, type Place } from "./place.js";
import { type Answer, type Service, succeed } from "./service.js";

const ROUNDS = { pglite: 8, "postgres 18": 5 } as const;
const WRITERS = 4;
/** As many as a route may have. */
const STAGES = Array.from({ length: 64 }, (_, index) => `stage${index}`);

/** A write, its key, and what it was answered with; null where the service died before. */
interface Write {
  readonly method: "PUT" | "POST";
  readonly path: string;
  readonly body: object;
  readonly key: string;
  reply: string | null;
}

/** One person with a run of their own, and everything that was written to it. */
interface Writer {
  readonly subject: string;
  readonly run: string;
  readonly turns: Write[];
  readonly stages: Write[];
}

interface RunView {
  readonly resume_index: number;
  readonly slots: Readonly<Record<string, unknown>>;
  readonly checkpoint: {
    readonly step: number;
    readonly resume_index: number;
    readonly value: unknown;
  };
}

describeEachPlace("kill -9", (doors) => {
  let place: Place;
  let service: Service;

  function send({ method, path, body, key }: Write): Promise<Answer> {
    return service.ask(method, path, { body, headers: { "idempotency-key": key } });
  }

  const nextTurn = ({ run, turns }: Writer): Write => ({
    method: "POST",
    path: `/v1/runs/${run}/turns`,
    body: { turns: [{ role: "user", text: `turn ${turns.length}` }] },
    key: crypto.randomUUID(),
    reply: null,
  });

  const nextStage = ({ run, stages }: Writer): Write => ({
    method: "PUT",
    path: `/v1/runs/${run}/stages/${STAGES[stages.length]}`,
    body: { output: stages.length, notes: [`note ${stages.length}`] },
    key: crypto.randomUUID(),
    reply: null,
  });

  /** Writes until the service is gone. Tells of each acknowledged write. */
  async function write(writer: Writer, acknowledged: () => void): Promise<void> {
    for (let count = 0; ; count++) {
      const isStage = count % 3 === 2 && writer.stages.length < STAGES.length;
      const one = isStage ? nextStage(writer) : nextTurn(writer);
      (isStage ? writer.stages : writer.turns).push(one);
      const answer = await send(one).catch(() => null);
      if (answer === null) return;
      expect([answer.status, answer.text]).toEqual([isStage ? 200 : 201, answer.text]);
      one.reply = answer.text;
      acknowledged();
    }
  }

  /** Lets them write at once, and kills the service in the midst, after so many acknowledged writes. */
  async function crash(writers: readonly Writer[], after: number): Promise<void> {
    let left = after;
    const killed = new Promise<void>((resolve) => {
      const acknowledged = (): void => {
        if (--left === 0) resolve(service.end("SIGKILL").then(() => undefined));
      };
      for (const writer of writers) writing.push(write(writer, acknowledged));
    });
    await killed;
    await Promise.all(writing.splice(0));
  }
  const writing: Promise<void>[] = [];

  /** Everything again: what was acknowledged is answered as before, what was in doubt is done now or was done. */
  async function repeat({ turns, stages }: Writer, from: readonly [number, number]): Promise<void> {
    for (const one of [...turns.slice(from[0]), ...stages.slice(from[1])]) {
      const answer = await send(one);
      expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
      if (one.reply !== null) expect(answer.text).toBe(one.reply);
      one.reply = answer.text;
    }
  }

  async function textsOf(run: string): Promise<readonly string[]> {
    const texts: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: { turns: { text: string }[]; cursor: string | null } = await succeed(
        service.ask("GET", `/v1/runs/${run}/turns?limit=200${after}`),
      );
      texts.push(...page.turns.map(({ text }) => text));
      cursor = page.cursor;
    }
    return texts;
  }

  /** The stages of a run are all there up to one of them, and its checkpoint is that one's. */
  function isWhole({ resume_index: done, slots, checkpoint }: RunView): void {
    expect(Object.keys(slots).toSorted()).toEqual(STAGES.slice(0, done).toSorted());
    expect(checkpoint.resume_index).toBe(done);
    expect(checkpoint.step).toBe(done);
  }

  async function newWriter(subject: string): Promise<Writer> {
    const { run_id: run } = await startRun(service, subject, "s");
    return { subject, run, turns: [], stages: [] };
  }

  it("S3-02 S3-05 S1-31 loses no acknowledged write, repeats none, and leaves no half one, whenever it comes", async () => {
    place = await doors.place();
    service = await doors.serve(place);
    const stages = STAGES.map((stage_id) => ({ stage_id, tools: [] }));
    await putChat(service, routeBody({ stages }));
    const writers: Writer[] = [];
    for (let count = 0; count < WRITERS; count++) writers.push(await newWriter(`writer ${count}`));
    for (let round = 0; round < ROUNDS[doors.name]; round++) {
      const marks = writers.map(({ turns, stages: done }) => [turns.length, done.length] as const);
      await crash(writers, 1 + Math.floor(Math.random() * 40));
      service = await doors.serve(place);
      for (const [index, writer] of writers.entries()) {
        const view = await succeed<RunView>(service.ask("GET", `/v1/runs/${writer.run}`));
        isWhole(view);
        const acknowledged = writer.stages.filter(({ reply }) => reply !== null).length;
        expect(view.resume_index).toBeGreaterThanOrEqual(acknowledged);
        expect(view.resume_index).toBeLessThanOrEqual(writer.stages.length);
        await repeat(writer, marks[index] ?? [0, 0]);
      }
    }
    for (const { run, turns, stages: done } of writers) {
      const said = turns.map((_, index) => `turn ${index}`);
      expect((await textsOf(run)).toSorted()).toEqual(said.toSorted());
      const view = await succeed<RunView>(service.ask("GET", `/v1/runs/${run}`));
      isWhole(view);
      expect(view.resume_index).toBe(done.length);
    }
    await service.end("SIGTERM");
    await isAudited();
  }, 300_000);

  /** Each turn and each slot has one audit row that says it was written. */
  async function isAudited(): Promise<void> {
    const written = (kind: string) => `
      select tenant_id, run_id, id from muniment.audit,
        jsonb_array_elements(memory_writes) as w, jsonb_array_elements_text(w -> 'ids') as id
      where verdict = 'allow' and w ->> 'kind' = '${kind}'`;
    const turns = await place.query<{ n: number; rows: number }>(`
      select count(a.id)::int as n, count(distinct t.turn_id)::int as rows from muniment.turn t
        left join (${written("turn")}) a on a.tenant_id = t.tenant_id and a.id = t.turn_id::text`);
    expect(turns[0]?.n).toBe(turns[0]?.rows);
    expect(turns[0]?.rows).toBeGreaterThan(0);
    const slots = await place.query<{ n: number; rows: number }>(`
      select count(a.id)::int as n, count(*)::int as rows from muniment.working s
        left join (${written("slot")}) a on a.tenant_id = s.tenant_id and a.run_id = s.run_id and a.id = s.item_key
      where s.class = 'slot'`);
    expect(slots[0]?.n).toBe(slots[0]?.rows);
  }

  it("S3-01 keeps a first write of a new person whole: acknowledged it is there, else it can be made", async () => {
    place = await doors.place();
    service = await doors.serve(place);
    await putChat(service);
    const started: { readonly subject: string; readonly write: Write }[] = [];
    const begin = async (count: number, acknowledged: () => void): Promise<void> => {
      for (let index = 0; ; index++) {
        const subject = `new ${count} ${index}`;
        const path = `${sessionPath(subject, "s")}/runs`;
        const body = { route_id: "chat", goal: subject };
        const one: Write = { method: "POST", path, body, key: crypto.randomUUID(), reply: null };
        started.push({ subject, write: one });
        const answer = await send(one).catch(() => null);
        if (answer === null) return;
        one.reply = answer.text;
        acknowledged();
      }
    };
    let left = 10 + Math.floor(Math.random() * 20);
    await new Promise<void>((resolve) => {
      const acknowledged = (): void => {
        if (--left === 0) resolve(service.end("SIGKILL").then(() => undefined));
      };
      for (let count = 0; count < WRITERS; count++) writing.push(begin(count, acknowledged));
    });
    await Promise.all(writing.splice(0));
    service = await doors.serve(place);
    for (const { subject, write: one } of started) {
      const before = one.reply === null ? null : (JSON.parse(one.reply) as StartedRun);
      const run = JSON.parse((await send(one)).text) as StartedRun;
      if (before !== null) expect(run.run_id).toBe(before.run_id);
      const view = await succeed<{ readonly goal: string }>(
        service.ask("GET", `/v1/runs/${run.run_id}`),
      );
      expect(view.goal).toBe(subject);
    }
  }, 180_000);
});
