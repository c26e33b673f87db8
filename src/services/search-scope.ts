import { isKept } from "../domain/erased-stores.js";
import type { Erasure, ErasureScopeKind } from "../domain/erasure.js";
import { LIMITS } from "../domain/limits.js";
import { LINEAGE } from "../domain/lineage.js";
import type { Permit } from "../domain/permit.js";
import { type ReachDocument, readReached } from "../storage/queries/erasure-reached.js";
import {
  countOfTraces,
  listStores,
  type StoreColumns,
  type Traces,
} from "../storage/queries/store-search.js";
import type { Transaction } from "../storage/store.js";
import { fieldOfTarget } from "./narrow-targets.js";
import { type Search, searchSubject } from "./receipts.js";
import type { Services } from "./services.js";
import type { StoreFound } from "./stored-files.js";

/** Columns in which what was forgotten would be named, alone or in a list. */
const NAMED_IN: Readonly<Record<ErasureScopeKind, readonly string[]>> = {
  subject: ["subject_id"],
  session: ["session_id", "session_key", "internal_id"],
  run: ["run_id"],
  source: ["source_id", "internal_id"],
  turn: ["turn_id", "turn_ids", "evidence"],
  episode: ["episode_id"],
  field: ["field_id"],
};

/** Columns that name what went with it. */
const DERIVED_IN = [
  "turn_id",
  "turn_ids",
  "evidence",
  "event_id",
  "observation_id",
  "supersedes",
  "depends",
  "episode_id",
  "candidate_id",
  "internal_id",
];

/** Say where a value came from, and rest on something else too. */
const PROVENANCE: Readonly<Partial<Record<ErasureScopeKind, readonly string[]>>> = {
  run: ["candidate", "field_value"],
};

/** What a session or run needs to go on. */
const FRAME = ["session", "run", "external_id", "working", "pack", "work"];

/** Looks for what an erasure was about, whatever its scope. */
export function searchErased(
  services: Services,
  tx: Transaction,
  permit: Permit,
  erasure: Erasure,
): Promise<Search> {
  return erasure.scope === "subject"
    ? searchSubject(services, tx, permit, erasure)
    : searchScope(services, tx, permit, erasure);
}

/**
 * Looks for what was forgotten of a subject that lives on, and for all that went along as the record of the erasure names it, in
 * every table that the catalogue knows and in the files beside them. What was corrected stays as a row with another text: what
 * went along is looked for alone. What came anew since is no trace of it.
 */
async function searchScope(
  services: Services,
  tx: Transaction,
  permit: Permit,
  erasure: Erasure,
): Promise<Search> {
  const target = await namedTarget(services, tx, permit, erasure);
  const [known, [record]] = await tx.send([listStores(), readReached(permit, erasure.erasureId)]);
  const wanted = { erasure, target, reached: record?.reached ?? NOTHING_ELSE };
  const tables = known.filter(({ columns }) => columns.includes("subject_id"));
  const stores = await countEach(tx, permit, tracesIn(tables, wanted));
  const kept = await countEach(tx, permit, recordsIn(tables, wanted));
  const files = target === null ? [] : await services.files.search([target], "beside");
  return {
    stores: [...stores, ...files],
    kept: kept.map(({ name, found }) => ({ name, rows: found })),
  };
}

interface Wanted {
  readonly erasure: Erasure;
  /** What rows would name; null where what was corrected stays. */
  readonly target: string | null;
  readonly reached: ReachDocument;
}

const NOTHING_ELSE: ReachDocument = { ids: [], knowing: [], goesOn: false };

/** What is to be found nowhere, by table. */
function tracesIn(tables: readonly StoreColumns[], wanted: Wanted): readonly Searched[] {
  const { erasure, target, reached } = wanted;
  const since = erasure.requestedAt;
  const until = new Date(since.getTime() - LIMITS.clocksApartSecondsMax * 1_000);
  const runs = reached.knowing.map((run) => ({ runId: run.runId, since: new Date(run.since) }));
  return tables.flatMap(({ table, columns: has }) => {
    const origin = LINEAGE[table]?.origin;
    const stays = target === null || staysIn(table, wanted);
    const ids = stays ? reached.ids : [target, ...reached.ids];
    const names = stays ? DERIVED_IN : [...DERIVED_IN, ...naming(wanted)];
    const columns = names.filter((name) => has.includes(name));
    const isWhole = origin === "whole";
    const knowing = origin === "written_after" ? runs : [];
    if (isKept(table) || (columns.length === 0 && !isWhole && origin !== "written_after"))
      return [];
    return [{ table, traces: { columns, ids, since, knowing, isWhole, until } }];
  });
}

/** What stays and names it, by table: as a record, or as where a value came from that rests on something else too. */
function recordsIn(tables: readonly StoreColumns[], wanted: Wanted): readonly Searched[] {
  const { erasure, target } = wanted;
  const since = erasure.requestedAt;
  const ids = target === null ? [] : [target];
  return tables.flatMap(({ table, columns: has }) => {
    const columns = naming(wanted).filter((name) => has.includes(name));
    if (columns.length === 0 || !(isKept(table) || staysIn(table, wanted))) return [];
    const traces = { columns, ids, since, knowing: [], isWhole: false, until: since };
    return [{ table, traces }];
  });
}

function naming({ erasure, target }: Wanted): readonly string[] {
  return target === null ? [] : NAMED_IN[erasure.scope];
}

function staysIn(table: string, { erasure, reached }: Wanted): boolean {
  if (reached.goesOn && FRAME.includes(table)) return true;
  return PROVENANCE[erasure.scope]?.includes(table) === true;
}

/** What rows would name; null where what was corrected stays, or nobody knows the field any more. */
async function namedTarget(
  services: Services,
  tx: Transaction,
  permit: Permit,
  { scope, target, reason }: Erasure,
): Promise<string | null> {
  if (reason === "correct") return null;
  return scope === "field" ? await fieldOfTarget(services, tx, permit, target) : target;
}

interface Searched {
  readonly table: string;
  readonly traces: Traces;
}

async function countEach(
  tx: Transaction,
  permit: Permit,
  searched: readonly Searched[],
): Promise<readonly StoreFound[]> {
  const counts = await tx.send(
    searched.map(({ table, traces }) => countOfTraces(permit, table, traces)),
  );
  return searched.map(({ table }, place) => ({
    name: table,
    found: counts[place]?.[0]?.found ?? 0,
  }));
}
