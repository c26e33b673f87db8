import type { SubjectKey } from "../domain/keyring.js";
import {
  type KnownObservation,
  type ObservationBody,
  supersessions,
} from "../domain/observation.js";
import type { ObservationRow } from "../storage/queries/observation-list.js";
import type { OnAlarm } from "../storage/store.js";
import { orAlarm } from "./integrity.js";
import { observationPlace } from "./observation-writing.js";

/** A row as far as it is opened. */
export type SealedObservation = Omit<ObservationRow, "termsSealed">;

export interface OpenObservation<Row extends SealedObservation = ObservationRow> {
  readonly row: Row;
  readonly body: ObservationBody;
}

/** What an observation says, or null where it doesn't open in its place. */
export function openObservation(
  row: SealedObservation,
  key: SubjectKey,
  onAlarm: OnAlarm,
): ObservationBody | null {
  const text = orAlarm(onAlarm, () => key.open(observationPlace(row), row.bodySealed));
  return text === null ? null : (JSON.parse(text) as ObservationBody);
}

/** Opens rows of observations. One that doesn't open where it stands is left out and reported. */
export function openObservations<Row extends SealedObservation>(
  rows: readonly Row[],
  key: SubjectKey,
  onAlarm: OnAlarm,
): readonly OpenObservation<Row>[] {
  return rows.flatMap((row) => {
    const body = openObservation(row, key, onAlarm);
    return body === null ? [] : [{ row, body }];
  });
}

/** Observations as an observer is shown them. */
export function knownObservations(opened: readonly OpenObservation[]): readonly KnownObservation[] {
  const superseded = supersessions(opened.map(({ row }) => row));
  return opened.map(({ row, body }) => ({
    id: row.observationId,
    dimension: row.dimensionId,
    text: body.text,
    quotes: body.quotes,
    ...(body.said === undefined ? {} : { said: body.said }),
    tier: row.tier,
    isSafety: row.isSafety,
    observedAt: row.observedAt,
    supersededBy: superseded.get(row.observationId) ?? null,
  }));
}
