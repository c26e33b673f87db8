import { LIMITS } from "../domain/limits.js";
import { givingWay, type Steps } from "../domain/steps.js";
import type { SubjectIndex } from "../recall/subject-index.js";
import { decodeVectors, type Vector } from "../recall/vector.js";
import { listVectors, NO_VECTORS, type VectorRow } from "../storage/queries/vector-list.js";
import { orAlarm } from "./integrity.js";
import type { IndexReading } from "./kept-index.js";
import { vectorPlace } from "./vector-place.js";

/** Takes in the vectors that an index lacks, where a question has a meaning to compare them with. */
export async function catchUpVectors(
  reading: IndexReading,
  index: SubjectIndex,
  meaning: Vector | null,
): Promise<void> {
  const { tx, permit, services } = reading;
  if (meaning === null || services.embedder === null) return;
  const { model } = services.embedder;
  const reached = index.embedded ?? NO_VECTORS;
  const [rows] = await tx.send([listVectors(permit, model, reached, LIMITS.vectorsAtOnceMax)]);
  await givingWay(takeEach(reading, index, model, rows));
}

function* takeEach(
  { services, key }: IndexReading,
  index: SubjectIndex,
  model: string,
  rows: readonly VectorRow[],
): Steps<void> {
  for (const { turnId, revision, sealed } of rows) {
    yield;
    if (sealed.length > 0) {
      const place = vectorPlace(turnId, model);
      // One that doesn't open is reported, and its turn is found by its words.
      const bytes = orAlarm(services.onAlarm, () => key.openIndex(place, sealed));
      index.addVectors(turnId, bytes === null ? [] : decodeVectors(bytes));
    }
    index.embedded = { revision, turnId };
  }
}
