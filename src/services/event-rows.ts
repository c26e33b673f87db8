import { RETURN_RULES } from "../domain/erasure-rules.js";
import { type ErrorKind, MunimentError } from "../domain/errors.js";
import { checkEvent, checkTimes } from "../domain/event-rules.js";
import { invalid } from "../domain/fields.js";
import type { LedgerKey } from "../domain/ledger.js";
import { LIMITS } from "../domain/limits.js";
import type { Projection } from "../domain/projection.js";
import { checkListed } from "../domain/projection-rules.js";
import type { TombstoneRow } from "../storage/queries/tombstone-find.js";
import { recordName } from "./event-writing.js";
import { type EventInput, eventInput } from "./inputs/event.js";
import { parseInput } from "./inputs/parse.js";
import { type ItemPlace, itemMacs } from "./item-macs.js";

export interface EventReply {
  /** Place of the event in the request, from 0. */
  readonly index: number;
  /** `unchanged`: this revision is there already. `skipped`: it was forgotten, and mayn't come again. */
  readonly status: "recorded" | "unchanged" | "refused" | "skipped";
  readonly event_id: string | null;
  readonly refusal?: {
    readonly kind: ErrorKind;
    readonly field: string | null;
    readonly message: string;
  };
}

/** An event that may be recorded, with its place in the request. */
export interface AcceptedEvent {
  readonly index: number;
  readonly event: EventInput;
}

export interface SplitEvents<E extends AcceptedEvent = AcceptedEvent> {
  readonly taken: readonly E[];
  readonly replies: readonly EventReply[];
}

/** Parses events one by one: a bad one is refused by itself. */
export function parseEvents(
  rows: readonly unknown[],
  now: Date,
  projections: readonly Projection[],
): SplitEvents {
  const taken: AcceptedEvent[] = [];
  const replies: EventReply[] = [];
  for (const [index, row] of rows.entries()) {
    try {
      taken.push({ index, event: parseEvent(row, now, projections) });
    } catch (error) {
      if (!(error instanceof MunimentError)) throw error;
      replies.push(refuseEvent(index, error));
    }
  }
  return { taken, replies };
}

export function refuseEvent(index: number, { kind, field, message }: MunimentError) {
  return {
    index,
    status: "refused",
    event_id: null,
    refusal: { kind, field: field ?? null, message },
  } as const;
}

function parseEvent(row: unknown, now: Date, projections: readonly Projection[]): EventInput {
  const event = parseInput(eventInput, row, "event");
  checkEvent(event);
  checkTimes(event, now);
  checkListed(projections, event);
  if (recordName(event).length > LIMITS.externalIdCharsMax)
    throw invalid("source_id", `is longer than ${LIMITS.externalIdCharsMax} with its source`);
  return event;
}

/** Takes out what mayn't come again since its person was forgotten: the reason decides. */
export function withoutPerson<E extends AcceptedEvent>(
  taken: readonly E[],
  person: TombstoneRow | undefined,
): SplitEvents<E> {
  const refusal = {
    kind: "erased",
    field: "effective_at",
    message: "the person was forgotten after this was so",
  } as const;
  return split(taken, () => person, refusal);
}

/** By what tombstones know the records of events. */
export interface RecordMacs {
  readonly all: readonly Uint8Array[];
  readonly byName: ReadonlyMap<string, string>;
}

export function recordMacs(
  key: LedgerKey,
  place: ItemPlace,
  events: readonly AcceptedEvent[],
): RecordMacs {
  const names = new Set(events.map(({ event }) => recordName(event)));
  const macOf = (name: string) => itemMacs(key, place, { sources: [name] })[0] ?? "";
  const byName = new Map([...names].map((name) => [name, macOf(name)]));
  return { all: [...byName.values()].map((mac) => Buffer.from(mac, "base64")), byName };
}

/** The same for records that were forgotten of somebody who stayed. */
export function withoutRecords<E extends AcceptedEvent>(
  taken: readonly E[],
  { byName }: RecordMacs,
  tombstones: readonly TombstoneRow[],
): SplitEvents<E> {
  const known = new Map(
    tombstones.map((stone) => [Buffer.from(stone.itemMac).toString("base64"), stone]),
  );
  const refusal = {
    kind: "erased",
    field: null,
    message: "it was forgotten, and mayn't come again",
  } as const;
  return split(taken, ({ event }) => known.get(byName.get(recordName(event)) ?? ""), refusal);
}

function split<E extends AcceptedEvent>(
  events: readonly E[],
  stoneOf: (accepted: E) => TombstoneRow | undefined,
  refusal: NonNullable<EventReply["refusal"]>,
): SplitEvents<E> {
  const isTaken = (accepted: E) => {
    const stone = stoneOf(accepted);
    if (stone === undefined) return true;
    const { effective_at: observedAt } = accepted.event;
    return RETURN_RULES[stone.reason].takes({ observedAt, forgottenAt: stone.recordedAt });
  };
  const skipped = events.filter((accepted) => !isTaken(accepted));
  return {
    taken: events.filter(isTaken),
    replies: skipped.map(({ index }) => ({ index, status: "skipped", event_id: null, refusal })),
  };
}
