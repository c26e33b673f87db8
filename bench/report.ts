import { cpus, getPriority, loadavg, totalmem } from "node:os";
import type { Case, Timings } from "./measure.js";

export interface Row {
  readonly name: string;
  readonly system: "muniment" | "langgraph";
  readonly c: number;
  readonly n: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly per_s: number;
  readonly round_trips: number | null;
  /** p50 over the p50 of `durable_insert` at the same number of workers. */
  readonly x_durable_insert: number;
}

interface Unit {
  readonly p50: number;
  readonly p95: number;
}

export interface Goal {
  readonly goal: string;
  readonly bound: string;
  readonly measured: number;
  readonly ok: boolean;
}

export interface Report {
  readonly machine: Readonly<Record<string, unknown>>;
  /** What a reader must know to take the figures for what they are. */
  readonly notes: readonly string[];
  readonly select1: Unit;
  readonly durable_insert: Unit;
  readonly durable_insert_c16: Unit;
  readonly goals: readonly Goal[];
  readonly rows: readonly Row[];
}

/** Timings by number of workers. */
export type Measured = ReadonlyMap<number, ReadonlyMap<Case, Timings>>;

export function machineOf(postgres: string, crowd: number): Readonly<Record<string, unknown>> {
  return {
    at: new Date().toISOString(),
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    // Of the last minute. Above the number of cores, the figures hold waiting for a processor.
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    nice: getPriority(),
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    postgres,
    fsync: "on",
    crowd_turns: crowd,
  };
}

export function reportOf(
  measured: Measured,
  machine: Readonly<Record<string, unknown>>,
  notes: readonly string[],
): Report {
  const select1 = unitOf(measured, "select1", 1);
  const durable = new Map(
    [...measured.keys()].map((c) => [c, unitOf(measured, "durable_insert", c)]),
  );
  const trips = roundTrips(measured);
  const rows = [...measured].flatMap(([c, timings]) =>
    [...timings].flatMap(([one, times]) => {
      const unit = durable.get(c);
      if (one.system === "unit" || unit === undefined) return [];
      return [
        {
          name: one.name,
          system: one.system,
          c,
          n: times.n,
          p50: rounded(times.p50),
          p95: rounded(times.p95),
          p99: rounded(times.p99),
          per_s: rounded(times.perSecond),
          round_trips: trips.get(`${one.name}/${one.system}`) ?? null,
          x_durable_insert: rounded(times.p50 / unit.p50),
        },
      ];
    }),
  );
  return {
    machine,
    notes,
    select1,
    durable_insert: durable.get(1) ?? select1,
    durable_insert_c16: durable.get(16) ?? select1,
    goals: goalsOf(rows),
    rows,
  };
}

function unitOf(measured: Measured, name: string, c: number): Unit {
  for (const [one, { p50, p95 }] of measured.get(c) ?? []) {
    if (one.name === name) return { p50: rounded(p50), p95: rounded(p95) };
  }
  throw new Error(`${name} wasn't measured`);
}

/** What one worker counted: an operation costs the same round trips whoever else is at work. */
function roundTrips(measured: Measured): ReadonlyMap<string, number | null> {
  return new Map(
    [...(measured.get(1) ?? [])].map(([one, times]) => [
      `${one.name}/${one.system}`,
      times.roundTrips === null ? null : rounded(times.roundTrips),
    ]),
  );
}

/** The goals at one worker, met or missed. */
function goalsOf(rows: readonly Row[]): readonly Goal[] {
  const find = (name: string, system: Row["system"] = "muniment") =>
    rows.find((row) => row.name === name && row.system === system && row.c === 1);
  const times = (name: string) => find(name)?.x_durable_insert ?? Number.NaN;
  const over = (above: Row | undefined, below: Row | undefined) =>
    rounded((above?.p50 ?? Number.NaN) / (below?.p50 ?? Number.NaN));
  const atMost = (goal: string, measured: number, bound: number): Goal => ({
    goal,
    bound: `<= ${bound}`,
    measured,
    ok: measured <= bound,
  });
  const faster = over(find("agent_turn", "langgraph"), find("agent_turn"));
  return [
    atMost("append_turn / durable_insert", times("append_turn"), 2.5),
    atMost("assemble / durable_insert", times("assemble"), 3),
    atMost("complete_stage / durable_insert", times("complete_stage"), 2),
    atMost("promote / durable_insert", times("promote"), 3),
    {
      goal: "agent_turn of LangGraph / of Muniment",
      bound: ">= 2.5",
      measured: faster,
      ok: faster >= 2.5,
    },
    atMost(
      "append_turn / append_turn_plain",
      over(find("append_turn"), find("append_turn_plain")),
      1.3,
    ),
    atMost("recall_episodes / durable_insert", times("recall_episodes"), 4),
    atMost("recall_600 / durable_insert", times("recall_600"), 4),
    atMost("recall_6000 / durable_insert", times("recall_6000"), 4),
    atMost("recall_6000 / recall_600", over(find("recall_6000"), find("recall_600")), 3),
    atMost(
      "recall_600_crowded / recall_600",
      over(find("recall_600_crowded"), find("recall_600")),
      1.3,
    ),
    atMost(
      "erase_1000_crowded / erase_1000",
      over(find("erase_1000_crowded"), find("erase_1000")),
      1.5,
    ),
    atMost("recall_60000 / recall_6000", over(find("recall_60000"), find("recall_6000")), 4),
    atMost("recall_6000_cold in ms", find("recall_6000_cold")?.p50 ?? Number.NaN, 40),
    // Of rows that weren't measured nothing is said.
  ].filter(({ measured }) => !Number.isNaN(measured));
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
