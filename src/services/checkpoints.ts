import { uuidv7 } from "uuidv7";
import type { Place, SubjectKey } from "../domain/keyring.js";
import type { Pin } from "../domain/pin.js";
import type { CheckpointRow } from "../storage/queries/checkpoint-read.js";
import type { NewCheckpoint } from "../storage/queries/checkpoint-write.js";
import type { OnAlarm } from "../storage/store.js";
import { orAlarm } from "./integrity.js";

/** What is sealed of a checkpoint. The goal isn't repeated here: it is the run's own and never changes. */
export interface CheckpointValue {
  readonly stage_id?: string;
  readonly result?: unknown;
  readonly proposals?: unknown;
  readonly observations?: unknown;
}

export interface OpenCheckpoint extends CheckpointValue {
  readonly step: number;
  readonly resume_index: number;
}

export function checkpointPlace(checkpointId: string, run: string): Place {
  return {
    table: "checkpoint",
    column: "value_sealed",
    row: checkpointId,
    within: run,
    version: 1,
  };
}

export function sealCheckpoint(
  key: SubjectKey,
  pin: Pin,
  value: CheckpointValue,
): Pick<NewCheckpoint, "checkpointId" | "valueSealed"> {
  const checkpointId = uuidv7();
  const valueSealed = key.seal(checkpointPlace(checkpointId, pin.run), JSON.stringify(value));
  return { checkpointId, valueSealed };
}

/** Null where there is no record, or none that opens in its place (reported). */
export function openCheckpoint(
  row: CheckpointRow | undefined,
  key: SubjectKey,
  onAlarm: OnAlarm,
): OpenCheckpoint | null {
  if (row === undefined) return null;
  const value = orAlarm(onAlarm, () =>
    key.open(checkpointPlace(row.checkpointId, row.runId), row.valueSealed),
  );
  return value === null
    ? null
    : { step: row.step, resume_index: row.resumeIndex, ...(JSON.parse(value) as CheckpointValue) };
}
