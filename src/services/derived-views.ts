import type { EventFact } from "../domain/event.js";
import type { FoldCandidate } from "../domain/fold-candidate.js";
import { type Fold, fold } from "../domain/fold-rules.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import { supersessions } from "../domain/observation.js";
import type { Permit } from "../domain/permit.js";
import { project, type StructuredState } from "../domain/projection.js";
import { listKeys } from "../domain/projection-rules.js";
import { givingWay, type Steps } from "../domain/steps.js";
import { FOLD } from "../domain/view.js";
import { type EventRow, listNewestEvents } from "../storage/queries/event-find.js";
import {
  listObservations,
  listObservationsOfSubject,
  type ObservationRow,
} from "../storage/queries/observation-list.js";
import type { Statement } from "../storage/sql.js";
import { openEvent } from "./event-writing.js";
import { orAlarm } from "./integrity.js";
import { openObservations } from "./observation-reading.js";
import type { Services } from "./services.js";

// Views that are computed where they are asked for, and never kept: nothing of them can be out of date, outlive a clock, or
// stay when what they show is forgotten.

type Reading = Pick<Services, "projections" | "onAlarm">;

/** The reads of what views are made of; null for what none of them needs. */
interface ViewEvidence {
  readonly events: Statement<EventRow> | null;
  readonly observations: Statement<ObservationRow> | null;
}

/**
 * What these views are made of. A run is given observations of the routes
 * that it may read, who reads the person as a whole those of all.
 */
export function evidenceFor(
  { projections }: Pick<Services, "projections">,
  permit: Permit,
  views: readonly string[],
): ViewEvidence {
  const isFolded = views.includes(FOLD);
  const isProjected = projections.some(({ id }) => views.includes(id));
  const limit = LIMITS.observationsSearchedMax;
  const listed = () =>
    permit.scope.run === undefined
      ? listObservationsOfSubject(permit, { limit })
      : listObservations(permit, limit);
  return {
    events: isFolded || isProjected ? listNewestEvents(permit, LIMITS.recordsOfSubjectMax) : null,
    observations: isFolded ? listed() : null,
  };
}

/** Structured state by the projection of that name; null where there is none. */
export function structuredState(
  { projections }: Reading,
  view: string,
  facts: readonly EventFact[],
): StructuredState | null {
  const projection = projections.find(({ id }) => id === view);
  return projection === undefined ? null : project(projection, facts);
}

/** What counts now, key by key: connectors' values, and under them what was observed. */
export function foldOf(
  reading: Reading,
  key: SubjectKey,
  facts: readonly EventFact[],
  observations: readonly ObservationRow[],
): Fold {
  const observed = observedCandidates(reading, key, observations);
  return fold(facts, observed, listKeys(reading.projections));
}

/** Events, opened once for all views that are made of them. One that doesn't open where it stands is left out and reported. */
export function openFacts(
  reading: Reading,
  key: SubjectKey,
  rows: readonly EventRow[],
): Promise<readonly EventFact[]> {
  return givingWay(factsOf(reading, key, rows));
}

function* factsOf(
  { onAlarm }: Reading,
  key: SubjectKey,
  rows: readonly EventRow[],
): Steps<readonly EventFact[]> {
  const facts: EventFact[] = [];
  for (const row of rows) {
    yield;
    const body = orAlarm(onAlarm, () => openEvent(key, row));
    if (body === null) continue;
    const { eventId, recordId, sourceRevision, kind, effectiveAt, expiresAt } = row;
    facts.push({ ...body, eventId, recordId, sourceRevision, kind, effectiveAt, expiresAt });
  }
  return facts;
}

/** An observation speaks for the key that its dimension is named by. */
function observedCandidates(
  { onAlarm }: Reading,
  key: SubjectKey,
  rows: readonly ObservationRow[],
): readonly FoldCandidate[] {
  const superseded = supersessions(rows);
  return openObservations(rows, key, onAlarm).map(({ row, body }) => ({
    id: row.observationId,
    recordId: row.observationId,
    key: row.dimensionId,
    tier: row.tier,
    source: "conversation",
    status: superseded.has(row.observationId) ? "superseded" : "active",
    value: body.text,
    unit: null,
    conditions: null,
    effectiveAt: row.observedAt,
    lineage: [row.observationId, ...row.turnIds],
    isSafety: row.isSafety,
  }));
}
