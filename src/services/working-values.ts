import { uuidv7 } from "uuidv7";
import { refuseChainOfThought, refuseCredential } from "../domain/credential-text.js";
import type { Place, SubjectKey } from "../domain/keyring.js";
import type { Pin } from "../domain/pin.js";
import type { WorkingClass } from "../domain/working.js";
import type { SlotRow } from "../storage/queries/working-find-slots.js";
import type { NewWorking } from "../storage/queries/working-write.js";
import type { OnAlarm } from "../storage/store.js";
import { orAlarm } from "./integrity.js";

export function workingPlace(
  workingClass: WorkingClass,
  key: string,
  run: string,
  version: number,
): Place {
  return {
    table: "working",
    column: "value_sealed",
    row: `${workingClass}/${key}`,
    within: run,
    version,
  };
}

/** The input's field that each class comes from. */
const FIELDS: Readonly<Record<WorkingClass, string>> = {
  contract: "contract",
  handoff: "handoff",
  criterion: "criteria",
  artifact: "artifact",
  failure: "failures",
  question: "questions",
  slot: "output",
  note: "notes",
  scratch: "scratch",
};

/** A value of working memory as it will stand in its row. Credentials and chains of thought are refused in every class. */
export function sealWorking(
  subjectKey: SubjectKey,
  pin: Pin,
  item: {
    readonly class: WorkingClass;
    readonly key: string;
    readonly version: number;
    readonly value: unknown;
    readonly expiresAt?: Date;
  },
): NewWorking {
  const text = JSON.stringify(item.value);
  refuseCredential(text, FIELDS[item.class]);
  refuseChainOfThought(text, FIELDS[item.class]);
  return {
    class: item.class,
    key: item.key,
    version: item.version,
    valueSealed: subjectKey.seal(workingPlace(item.class, item.key, pin.run, item.version), text),
    expiresAt: item.expiresAt ?? null,
  };
}

/** A row key for classes whose rows have no name of their own: ordered as they were made. */
export function newItemKey(): string {
  return uuidv7();
}

export interface OpenWorking {
  readonly class: WorkingClass;
  readonly key: string;
  readonly version: number;
  readonly value: unknown;
  readonly recordedAt: Date;
}

/** Opens rows of working memory. One that doesn't open in its place is left out and reported. */
export function openWorking(
  rows: readonly SlotRow[],
  subjectKey: SubjectKey,
  onAlarm: OnAlarm,
): readonly OpenWorking[] {
  return rows.flatMap((row) => {
    const text = orAlarm(onAlarm, () =>
      subjectKey.open(workingPlace(row.class, row.key, row.runId, row.version), row.valueSealed),
    );
    if (text === null) return [];
    return [
      {
        class: row.class,
        key: row.key,
        version: row.version,
        value: JSON.parse(text) as unknown,
        recordedAt: row.recordedAt,
      },
    ];
  });
}

/** Slots by stage and notes in their order, as the next turn loads them. */
export function slotsAndNotes(items: readonly OpenWorking[]): {
  readonly slots: Readonly<Record<string, unknown>>;
  readonly slot_versions: Readonly<Record<string, number>>;
  readonly notes: readonly unknown[];
} {
  const slots = items.filter((item) => item.class === "slot");
  return {
    slots: Object.fromEntries(slots.map((item) => [item.key, item.value])),
    slot_versions: Object.fromEntries(slots.map((item) => [item.key, item.version])),
    notes: items.filter((item) => item.class === "note").map((item) => item.value),
  };
}
