import { setImmediate } from "node:timers/promises";
import { LIMITS } from "../domain/limits.js";
import type { SubjectIndex } from "../recall/subject-index.js";
import { decodeVectors, type Vector } from "../recall/vector.js";
import { listVectors, NO_VECTORS } from "../storage/queries/vector-list.js";
import { orAlarm } from "./integrity.js";
import type { IndexReading } from "./kept-index.js";
import { vectorPlace } from "./vector-place.js";

/** Rows that are opened before others get their turn: about 10 ms. */
const ROWS_A_TICK = 1_000;

/** Takes in the vectors that an index lacks, where a question has a meaning to compare them with. */
export async function catchUpVectors(
  reading: IndexReading,
  index: SubjectIndex,
  meaning: Vector | null,
): Promise<void> {
  const { services, tx, permit, key } = reading;
  if (meaning === null || services.embedder === null) return;
  const { model } = services.embedder;
  const reached = index.embedded ?? NO_VECTORS;
  const [rows] = await tx.send([listVectors(permit, model, reached, LIMITS.vectorsAtOnceMax)]);
  for (const [done, { turnId, revision, sealed }] of rows.entries()) {
    if (done > 0 && done % ROWS_A_TICK === 0) await setImmediate();
    if (sealed.length > 0) {
      const place = vectorPlace(turnId, model);
      // One that doesn't open is reported, and its turn is found by its words.
      const bytes = orAlarm(services.onAlarm, () => key.openIndex(place, sealed));
      index.addVectors(turnId, bytes === null ? [] : decodeVectors(bytes));
    }
    index.embedded = { revision, turnId };
  }
}
