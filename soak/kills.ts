import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { isKept } from "../src/domain/erased-stores.js";
import { SUBJECT_TABLES } from "../src/storage/queries/subject-end.js";
import { startRun } from "../tests/doors/bank.js";
import { OPERATOR, PRIVACY, type Service, startService, succeed } from "../tests/doors/service.js";
import { startPostgres } from "../tests/setup/embedded-postgres.js";
import { routeBody } from "../tests/support/muniment.js";
import { openWay, type Way } from "./cut-off.js";

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

interface Bench {
  readonly way: Way;
  serve(): Promise<Service>;
  /** Rows by table of the person of a run. */
  rowsOf(run: string): Promise<ReadonlyMap<string, number>>;
  /** Lines of the ledger. */
  intents(): Promise<number>;
  stop(): Promise<void>;
}

async function openBench(): Promise<Bench> {
  const postgres = await startPostgres({ major: 18 });
  const way = await openWay(Number(new URL(postgres.url).port));
  const parent = mkdtempSync(join(tmpdir(), "muniment-kills-"));
  const masterKey = join(parent, "master.key");
  writeFileSync(masterKey, randomBytes(32).toString("base64"), { mode: 0o600 });
  const root = new pg.Pool({ connectionString: postgres.url, max: 1 });
  for (const name of ["memory", "custody"]) await root.query(`create database ${name}`);
  const urlOf = (name: string, port: string) =>
    Object.assign(new URL(postgres.url), { pathname: `/${name}`, port }).href;
  const direct = (name: string) =>
    new pg.Pool({ connectionString: urlOf(name, new URL(postgres.url).port), max: 1 });
  const [memory, custody] = [direct("memory"), direct("custody")];
  const subjects = new Map<string, string>();
  const subjectOf = async (run: string): Promise<string> => {
    const known = subjects.get(run);
    if (known !== undefined) return known;
    const found = await memory.query("select subject_id from muniment.run where run_id = $1", [
      run,
    ]);
    const subject = String(found.rows[0]?.subject_id);
    subjects.set(run, subject);
    return subject;
  };
  return {
    way,
    serve: () =>
      startService({
        dir: join(parent, "data"),
        environment: {
          MUNIMENT_DATABASE_URL: urlOf("memory", String(way.port)),
          MUNIMENT_CUSTODY_URL: urlOf("custody", String(way.port)),
          MUNIMENT_MASTER_KEY_FILE: masterKey,
        },
      }),
    rowsOf: async (run) => {
      const subject = await subjectOf(run);
      const rows = new Map<string, number>();
      for (const table of SUBJECT_TABLES.filter(
        (name) => !isKept(name) && name !== "idempotency",
      )) {
        const text = `select count(*)::int as n from muniment.${table} where subject_id = $1`;
        const n = (await memory.query<{ n: number }>(text, [subject])).rows[0]?.n ?? 0;
        if (n > 0) rows.set(table, n);
      }
      return rows;
    },
    intents: async () =>
      (await custody.query<{ n: number }>("select count(*)::int as n from muniment_custody.ledger"))
        .rows[0]?.n ?? 0,
    stop: async () => {
      await Promise.all([memory.end(), custody.end(), root.end()]);
      await way.close();
      await postgres.stop();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}
