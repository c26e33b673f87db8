import { startRun } from "../tests/doors/bank.js";
import { OPERATOR, PRIVACY, type Service, succeed } from "../tests/doors/service.js";
import { routeBody } from "../tests/support/muniment.js";
import type { Way } from "./cut-off.js";
import { type Bench, openBench } from "./kill-bench.js";

/** More statements than an erasure sends; a run ends where one is through without being cut off. */
const STATEMENTS_MAX = 400;

/** The last three must be nought. */
export interface KillCounts {
  /** Statements after which the service was killed, each once. */
  killed: number;
  /** Nothing was durable yet: the person was whole afterwards. */
  untouched: number;
  /** Finished by the next start. */
  finished: number;
  /** Neither whole nor gone. */
  halfDone: number;
  /** Promised in the ledger, and there all the same. */
  forgotten: number;
  /** Not gone, or not verified, after the same request once more. */
  unrepeatable: number;
}

/** Kills the service after the first statement of an erasure, then after the second one, and so on to its last. */
export async function soakKills(say: (line: string) => void): Promise<KillCounts> {
  const counts: KillCounts = {
    killed: 0,
    untouched: 0,
    finished: 0,
    halfDone: 0,
    forgotten: 0,
    unrepeatable: 0,
  };
  const bench = await openBench();
  try {
    let service = await bench.serve();
    await succeed(service.ask("PUT", "/v1/routes/chat", { as: OPERATOR, body: routeBody() }));
    for (let statements = 1; statements <= STATEMENTS_MAX; statements += 1) {
      const person = `person-${statements}`;
      const run = await plant(service, person).catch((error: unknown) => {
        say(service.output());
        throw error;
      });
      const before = await bench.rowsOf(run);
      const intents = await bench.intents();
      if (!(await isKilled(service, bench.way, person, statements))) break;
      counts.killed += 1;
      service = await bench.serve();
      await judge(bench, service, { person, run, before, intents }, counts);
      say(`killed after statement ${statements}: ${JSON.stringify(counts)}`);
    }
    await service.end("SIGKILL");
    if (counts.killed === STATEMENTS_MAX) throw new Error("there was no end to the statements");
    return counts;
  } finally {
    await bench.stop();
  }
}

interface Victim {
  readonly person: string;
  readonly run: string;
  /** Rows by table before the erasure. */
  readonly before: ReadonlyMap<string, number>;
  /** Length of the ledger before it. */
  readonly intents: number;
}

async function judge(
  bench: Bench,
  service: Service,
  { person, run, before, intents }: Victim,
  counts: KillCounts,
): Promise<void> {
  const { status } = await service.ask("GET", `/v1/runs/${run}`);
  const after = await bench.rowsOf(run);
  const isGone = status === 404 && after.size === 0;
  const isWhole = status === 200 && [...before].every(([table, n]) => after.get(table) === n);
  const isPromised = (await bench.intents()) > intents;
  if (isGone) counts.finished += 1;
  else if (isWhole) counts.untouched += 1;
  else counts.halfDone += 1;
  if (isPromised && !isGone) counts.forgotten += 1;
  const erased = await succeed<{ readonly erasure_id: string }>(eraseOf(service, person));
  const { ok } = await succeed<{ readonly ok: boolean }>(
    service.ask("POST", `/v1/erasures/${erased.erasure_id}/verify`, { as: PRIVACY, body: {} }),
  );
  if (!ok || (await bench.rowsOf(run)).size > 0) counts.unrepeatable += 1;
}

const eraseOf = (service: Service, person: string) =>
  service.ask("POST", `/v1/subjects/${person}/erasures`, { as: PRIVACY, body: {} });

/** Erases with a service that dies after so many statements; false where it lived to answer. */
async function isKilled(service: Service, way: Way, person: string, statements: number) {
  let died: Promise<unknown> | null = null;
  way.arm(statements, () => {
    died = service.end("SIGKILL");
  });
  await eraseOf(service, person).catch(() => null);
  way.disarm();
  await died;
  return died !== null;
}

/** Somebody with a row in most of the tables. */
async function plant(service: Service, person: string): Promise<string> {
  const { run_id: run } = await startRun(service, person, "main");
  const turns = [{ role: "user", text: "hello", source_id: `${person}-1`, speaker: person }];
  const at = `/v1/runs/${run}`;
  await succeed(service.ask("POST", `${at}/turns`, { body: { turns } }));
  await succeed(service.ask("PUT", `${at}/stages/facts`, { body: { output: 1, notes: ["n"] } }));
  await succeed(service.ask("PUT", `${at}/checkpoint`, { body: { step: 3 } }));
  await succeed(service.ask("POST", `${at}/pack`, { body: {} }));
  return run;
}
