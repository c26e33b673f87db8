import { mayReturn } from "../domain/erasure-rules.js";
import type { LedgerKey } from "../domain/ledger.js";
import type { AskedAction } from "../policy/question.js";
import { findTombstones, type TombstoneRow } from "../storage/queries/tombstone-find.js";
import type { AcceptedRow, ImportRowReply } from "./import-rows.js";
import { everyItemMac, type ItemPlace, macBytes, macText } from "./item-macs.js";
import { KnownTombstones } from "./known-tombstones.js";
import type { Operation } from "./operation.js";

type BySession = ReadonlyMap<string, readonly AcceptedRow[]>;

/** By what a tombstone knows a person. */
export async function personMac<A extends AskedAction>(
  { services, caller }: Operation<A>,
  externalId: string,
): Promise<Uint8Array> {
  const key = await services.keyring.ledger.key(caller.principal.tenant);
  return Buffer.from(key.mac("subject", externalId), "base64");
}

export interface Split {
  readonly taken: readonly AcceptedRow[];
  readonly skipped: readonly ImportRowReply[];
}

/** Rows that mayn't come again since their person was forgotten, apart from the others: the reason decides. */
export function splitErased(rows: readonly AcceptedRow[], person: TombstoneRow | undefined): Split {
  if (person === undefined) return { taken: rows, skipped: [] };
  const isTaken = (accepted: AcceptedRow) => mayReturn(person, observedAt(accepted));
  return {
    taken: rows.filter(isTaken),
    skipped: rows.filter((row) => !isTaken(row)).map(skip),
  };
}

function skip({ index }: AcceptedRow): ImportRowReply {
  const message = "the person was forgotten after this was observed";
  return { index, status: "skipped", refusal: { kind: "erased", field: "observed_at", message } };
}

/** By what tombstones know the session, the source and the text of each row. */
export interface RowItems {
  readonly all: readonly Uint8Array[];
  readonly byRow: ReadonlyMap<AcceptedRow, readonly string[]>;
}

/** Each as the subject's own, and as the person's: what claimed a time ahead is known as theirs. */
export function itemsOf(
  key: LedgerKey,
  places: readonly ItemPlace[],
  rows: readonly AcceptedRow[],
): RowItems {
  const byRow = new Map(
    rows.map((accepted) => {
      const { session, source_id: source, text } = accepted.row;
      const items = { sessions: [session], sources: [source], contents: [text] };
      return [accepted, places.flatMap((place) => everyItemMac(key, place, items))];
    }),
  );
  return { all: macBytes([...byRow.values()].flat()), byRow };
}

/** The same with rows whose session, source or text was forgotten of somebody who stayed: the reason decides. */
export function splitForgotten(
  { taken, skipped }: Split,
  { byRow }: RowItems,
  tombstones: readonly TombstoneRow[],
): Split {
  const known = new KnownTombstones(tombstones);
  const isTaken = (accepted: AcceptedRow) =>
    known.letReturn(byRow.get(accepted) ?? [], observedAt(accepted));
  const message = "it was forgotten, and mayn't come again";
  return {
    taken: taken.filter(isTaken),
    skipped: [
      ...skipped,
      ...taken
        .filter((row) => !isTaken(row))
        .map(
          ({ index }): ImportRowReply => ({
            index,
            status: "skipped",
            refusal: { kind: "erased", field: null, message },
          }),
        ),
    ],
  };
}

function observedAt({ row }: AcceptedRow): Date {
  return new Date(row.observed_at);
}

/**
 * The same before there is a subject: nobody is made anew for rows that are skipped anyway. The transaction that writes the
 * others looks again.
 */
export async function withoutErased<A extends AskedAction>(
  op: Operation<A>,
  person: Uint8Array,
  bySession: BySession,
): Promise<{ readonly bySession: BySession; readonly skipped: readonly ImportRowReply[] }> {
  const { services, caller } = op;
  const { tenant, workspace } = caller.principal;
  const permit = services.policy.resolvePermit(caller.principal, op.now);
  const place = { subject: macText(person), workspace };
  const items = itemsOf(
    await services.keyring.ledger.key(tenant),
    [place],
    [...bySession.values()].flat(),
  );
  const [[ofPerson], ofItems] = await services.store.transact(permit, (tx) =>
    tx.commit([
      findTombstones(permit, "subject", [person]),
      findTombstones(permit, "item", items.all),
    ]),
  );
  const left = new Map<string, readonly AcceptedRow[]>();
  const skipped: ImportRowReply[] = [];
  for (const [session, rows] of bySession) {
    const split = splitForgotten(splitErased(rows, ofPerson), items, ofItems);
    skipped.push(...split.skipped);
    if (split.taken.length > 0) left.set(session, split.taken);
  }
  return { bySession: left, skipped };
}
