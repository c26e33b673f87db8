import { mayReturn } from "../domain/erasure-rules.js";
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
import { everyItemMac, type ItemPlace, macBytes } from "./item-macs.js";
import { KnownTombstones } from "./known-tombstones.js";

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
  const isTaken = ({ event }: E) => person === undefined || mayReturn(person, event.effective_at);
  return split(taken, isTaken, refusal);
}

/** By what tombstones know the records of events, by their names. */
export interface RecordMacs {
  readonly all: readonly Uint8Array[];
  readonly byName: ReadonlyMap<string, readonly string[]>;
}

/** Each as the subject's own, and as the person's: what claimed a time ahead is known as theirs. */
export function recordMacs(
  key: LedgerKey,
  places: readonly ItemPlace[],
  events: readonly AcceptedEvent[],
): RecordMacs {
  const names = new Set(events.map(({ event }) => recordName(event)));
  const macsOf = (name: string) =>
    places.flatMap((place) => everyItemMac(key, place, { sources: [name] }));
  const byName = new Map([...names].map((name) => [name, macsOf(name)]));
  return { all: macBytes([...byName.values()].flat()), byName };
}

/** The same for records that were forgotten of somebody who stayed, or claimed a time ahead. */
export function withoutRecords<E extends AcceptedEvent>(
  taken: readonly E[],
  { byName }: RecordMacs,
  tombstones: readonly TombstoneRow[],
): SplitEvents<E> {
  const known = new KnownTombstones(tombstones);
  const refusal = {
    kind: "erased",
    field: null,
    message: "it was forgotten, and mayn't come again",
  } as const;
  const isTaken = ({ event }: E) =>
    known.letReturn(byName.get(recordName(event)) ?? [], event.effective_at);
  return split(taken, isTaken, refusal);
}

function split<E extends AcceptedEvent>(
  events: readonly E[],
  isTaken: (accepted: E) => boolean,
  refusal: NonNullable<EventReply["refusal"]>,
): SplitEvents<E> {
  const skipped = events.filter((accepted) => !isTaken(accepted));
  return {
    taken: events.filter(isTaken),
    replies: skipped.map(({ index }) => ({ index, status: "skipped", event_id: null, refusal })),
  };
}
