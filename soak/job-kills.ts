import { setTimeout as wait } from "node:timers/promises";
import { sessionPath, startRun } from "../tests/doors/bank.js";
import { OPERATOR, type Service, succeed } from "../tests/doors/service.js";
import { routeBody } from "../tests/support/muniment.js";
import { type Bench, openBench } from "./kill-bench.js";

/** More statements than closing a session and its jobs send. */
const STATEMENTS_MAX = 300;
/** Longer than the jobs of one session take. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 100;
const SAID = "I prefer letters to phone calls.";

/** The last three must be nought. */
export interface JobKillCounts {
  /** Statements after which the service was killed, each once. */
  killed: number;
  /** Sessions that weren't processed to their end by the next service. */
  unfinished: number;
  /** The one thing that was said was observed never, or more than once. */
  miscounted: number;
  /** The person's model hasn't exactly that one sentence, or there is an episode more or less. */
  wrong: number;
}

/**
 * Kills the service after a statement of closing a session, then after the next one, and so on through the jobs
 * that observe it, compress it and make the person's model.
 */
export async function soakJobKills(
  from: number,
  say: (line: string) => void,
): Promise<JobKillCounts> {
  const counts: JobKillCounts = { killed: 0, unfinished: 0, miscounted: 0, wrong: 0 };
  const bench = await openBench();
  try {
    let service = await bench.serve();
    const body = routeBody({ views: ["user_model"] });
    await succeed(service.ask("PUT", "/v1/routes/chat", { as: OPERATOR, body }));
    for (let statements = from; statements <= STATEMENTS_MAX; statements += 1) {
      const person = `person-${statements}`;
      const { run_id: run } = await startRun(service, person, "main");
      const turns = [{ role: "user", text: SAID }];
      await succeed(service.ask("POST", `/v1/runs/${run}/turns`, { body: { turns } }));
      const subject = await bench.subjectOf(run);
      let died: Promise<unknown> | null = null;
      bench.way.arm(statements, () => {
        died = service.end("SIGKILL");
      });
      await close(service, person);
      await isProcessed(bench, subject, () => died !== null);
      bench.way.disarm();
      if (died === null) break;
      await died;
      counts.killed += 1;
      await bench.expireLeases();
      service = await bench.serve();
      await close(service, person);
      if (!(await isProcessed(bench, subject, () => false))) counts.unfinished += 1;
      await judge(bench, service, { person, subject }, counts);
      say(`killed after statement ${statements}: ${JSON.stringify(counts)}`);
    }
    await service.end("SIGKILL");
    if (from + counts.killed > STATEMENTS_MAX)
      throw new Error("there was no end to the statements");
    return counts;
  } finally {
    await bench.stop();
  }
}

/** Whether it was closed before or by this, or nobody was there to answer. */
async function close(service: Service, person: string): Promise<void> {
  const path = `${sessionPath(person, "main")}/close`;
  await service.ask("POST", path, { body: {} }).catch(() => null);
}

/** Waits until nothing is to do for the person and there is a model of them; false where `isOver` says so before. */
async function isProcessed(bench: Bench, subject: string, isOver: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE_MS && !isOver(); waited += LOOK_MS) {
    const waiting = await bench.count(
      "select count(*)::int as n from muniment.work where subject_id = $1 and state <> 'done'",
      [subject],
    );
    const models = await bench.count(
      "select count(*)::int as n from muniment.view where subject_id = $1",
      [subject],
    );
    if (waiting === 0 && models === 1) return true;
    await wait(LOOK_MS);
  }
  return false;
}

interface Model {
  readonly body: {
    readonly sections: readonly { readonly statements: readonly { readonly text: string }[] }[];
  };
}

async function judge(
  bench: Bench,
  service: Service,
  { person, subject }: { readonly person: string; readonly subject: string },
  counts: JobKillCounts,
): Promise<void> {
  const rows = (table: string) =>
    bench.count(`select count(*)::int as n from muniment.${table} where subject_id = $1`, [
      subject,
    ]);
  if ((await rows("observation")) !== 1) counts.miscounted += 1;
  const path = `/v1/subjects/${person}/views/user_model`;
  const { body } = await succeed<Model>(service.ask("GET", path, { as: OPERATOR }));
  const texts = body.sections.flatMap(({ statements }) => statements.map(({ text }) => text));
  if (texts.join() !== SAID || (await rows("episode")) !== 1) counts.wrong += 1;
}
