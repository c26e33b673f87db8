import type { DerivedCandidate } from "../domain/assembly/candidate.js";
import { notFound } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import type { Vector } from "../recall/vector.js";
import {
  type FieldValueRow,
  listFieldValues,
  type ValuesWanted,
} from "../storage/queries/field-value-list.js";
import { listObservations } from "../storage/queries/observation-list.js";
import { type RunRow, readRun } from "../storage/queries/run-read.js";
import {
  type ConversationRow,
  listTurnsBySession,
} from "../storage/queries/turn-list-by-session.js";
import { listWorkingByRun, type WorkingRow } from "../storage/queries/working-list-by-run.js";
import type { Transaction } from "../storage/store.js";
import { derivedOf, viewReads } from "./derived-candidates.js";
import { beginEpisodeSearch, type FoundEpisodes, NO_EPISODES } from "./episode-search.js";
import { type Found, searchEvidence } from "./evidence-search.js";
import { CUSTOMER_KEY } from "./field-values.js";
import type { AssembleInput } from "./inputs/pack.js";
import { named } from "./named-statements.js";
import { type FoundObservations, searchObservations } from "./observation-search.js";
import type { PinnedRun } from "./pins.js";
import { runExpired } from "./run-refusals.js";
import type { Services } from "./services.js";

/** What a run may remember now, as it was read. */
export interface Remembered {
  readonly row: RunRow;
  readonly working: readonly WorkingRow[];
  /** Newest first. */
  readonly turns: readonly ConversationRow[];
  /** None where the pinned profile reads no long-term memory. */
  readonly fields: readonly FieldValueRow[];
  /** Views of the person, laid out already. */
  readonly derived: readonly DerivedCandidate[];
  /** How each recall went; null where none was asked for. */
  readonly found: Found | null;
  readonly episodes: FoundEpisodes | null;
  readonly observed: FoundObservations | null;
}

interface Asked {
  readonly recall: AssembleInput["recall"];
  /** What the question means; null where words alone decide. */
  readonly meaning: Vector | null;
}

/** Reads it in one flush, with what a warm index would recall; a cold one is filled first. */
export async function readRemembered(
  services: Services,
  tx: Transaction,
  permit: Permit<"assemble">,
  { pin, key }: PinnedRun,
  { recall, meaning }: Asked,
): Promise<Remembered> {
  const kinds = recall?.kinds ?? [];
  const search = recall && { permit, key, asked: recall, meaning };
  const searching =
    search && kinds.includes("episode") ? await beginEpisodeSearch(services, tx, search) : null;
  const wanted = named({
    runs: readRun(permit),
    working: listWorkingByRun(permit, LIMITS.workingRowsMax),
    turns: listTurnsBySession(permit, LIMITS.assemblyTurnsMax, null),
    ...(searching?.statements ?? NO_EPISODES),
    observable: kinds.includes("observation")
      ? listObservations(permit, LIMITS.observationsSearchedMax)
      : null,
    ...viewReads(services, permit, viewsOf(pin)),
    fields: readsStore(pin) ? listFieldValues(permit, fieldsOf(pin)) : null,
  });
  const [found, answers] =
    search === undefined || !kinds.includes("turn")
      ? ([null, await tx.send(wanted.list)] as const)
      : await searchEvidence(services, tx, search, wanted.list);
  const { runs, working, turns, observable, fields, ...rest } = wanted.rowsOf(answers);
  const [row] = runs;
  if (row === undefined) throw notFound();
  if (row.expiresAt <= permit.scope.now) throw runExpired();
  const episodes = searching && (await searching.end(rest));
  const observed =
    search !== undefined && kinds.includes("observation")
      ? await searchObservations(services, search, observable)
      : null;
  const derived = await derivedOf(services, key, viewsOf(pin), rest);
  return { row, working, turns, fields, derived, found, episodes, observed };
}

/** Fields of the store are long-term memory: a profile without it is shown none, and none are looked up. */
export function readsStore({ route }: Pin): boolean {
  return route.memory_profile.long_term === "retrieve_only" && route.store_fields.length > 0;
}

/** Views are as well. */
export function viewsOf({ route }: Pin): readonly string[] {
  return route.memory_profile.long_term === "retrieve_only" ? (route.views ?? []) : [];
}

/** What the route lists, under the customer's keys and this chat's. */
function fieldsOf({ route, session }: Pin): ValuesWanted {
  return {
    fields: route.store_fields,
    sessionKeys: [CUSTOMER_KEY, session],
    limit: LIMITS.fieldsPerPackMax,
  };
}
