import type { SubjectLine } from "../../domain/archive.js";
import { must } from "../../domain/errors.js";
import { isUuid } from "../../domain/ids.js";
import { LIMITS } from "../../domain/limits.js";
import type { Permit } from "../../domain/permit.js";
import { type Landed, writeArchived } from "../../storage/archive/archive-write.js";
import type { ArchivedRow } from "../../storage/archive/archived-table.js";
import { HOLD } from "../../storage/archive/hold-table.js";
import { listDimensions } from "../../storage/queries/dimension-find.js";
import { listForgottenParts } from "../../storage/queries/erasure-list-parts.js";
import { ensureExternalIds } from "../../storage/queries/external-id-insert.js";
import { listCorrectable } from "../../storage/queries/observation-list-corrected.js";
import { takeRevisions } from "../../storage/queries/subject-import.js";
import { findTombstones } from "../../storage/queries/tombstone-find.js";
import { findCitedTurns } from "../../storage/queries/turn-find-cited.js";
import { subjectScope } from "../../storage/scope.js";
import type { Transaction } from "../../storage/store.js";
import { macText } from "../item-macs.js";
import { KnownTombstones } from "../known-tombstones.js";
import { openObservations } from "../observation-reading.js";
import type { Operation } from "../operation.js";
import type { KnownSubject } from "../subjects.js";
import { openTurns } from "../turn-reading.js";
import type { Accepted } from "./accept-lines.js";
import { barredBy } from "./barred-lines.js";
import type { Codec } from "./codec.js";
import { Corrected } from "./corrected.js";
import { splitErased } from "./erased-lines.js";
import { ledgerHolds } from "./hold-lines.js";
import { LineItems, workspacesOf } from "./line-items.js";
import { type LineReply, type SkipReason, skipped } from "./line-replies.js";
import { idsFor, makeRow, type RowMaking } from "./make-row.js";
import { checkObservations, citedIn, correctingRoutes } from "./observation-lines.js";
import type { Definitions } from "./rely.js";
import { SUBJECT_CODECS } from "./subject-codecs.js";

/** Whom lines come to, and from where. */
export interface Landing {
  readonly subject: KnownSubject;
  readonly from: SubjectLine;
  readonly definitions: Definitions;
  /** By what a tombstone knows the person. */
  readonly person: Uint8Array;
}

/** Writes lines of one person in one transaction, each as the row that it is here. */
export async function landLines(
  op: Operation<"import_subject">,
  permit: Permit<"import_subject">,
  { subject, from, definitions, person }: Landing,
  given: readonly Accepted[],
): Promise<readonly LineReply[]> {
  const { services } = op;
  const workspaces = await workspacesOf(op, given);
  const making: Omit<RowMaking, "revision"> = {
    subject,
    key: subject.key,
    permit,
    isAtHome: from.subject_id === subject.subject,
    idOf: idsFor(subject, from.subject_id),
    workspaces,
    names: [],
    route: definitions.route,
    definition: definitions.field,
    person,
  };
  const ledgerKey = await services.keyring.ledger.key(permit.scope.tenant);
  // What was forgotten of whom the archive is about is so under whatever name it comes.
  const people = [...new Set([subject.subject, from.subject_id, macText(person)])];
  const items = new LineItems(ledgerKey, people, workspaces, given);
  return await services.store.transact(permit, async (tx) => {
    const at = new Date(from.created_at);
    const [[advanced], [ofPerson], ofItems, parts, turns, dimensions, observed] = await tx.send([
      takeRevisions(permit, given.length, at),
      findTombstones(permit, "subject", [person]),
      findTombstones(permit, "item", items.all),
      listForgottenParts(permit, idsOf(given, making.idOf)),
      findCitedTurns(permit, citedIn(given).map(making.idOf)),
      listDimensions(permit, null, LIMITS.dimensionsMax),
      listCorrectable(permit, correctingRoutes(given)),
    ]);
    const left = splitErased(given, ofPerson);
    const known = new KnownTombstones(ofItems);
    const { accepted, rest } = checkObservations(left.accepted, {
      cues: services.cues,
      subject: from.subject,
      idOf: making.idOf,
      turns: openTurns(turns, subject.key, services.onAlarm),
      defined: dimensions.map(({ definition }) => definition),
      corrected: new Corrected(
        openObservations(observed, subject.key, services.onAlarm),
        workspaces,
        making.idOf,
      ),
    });
    const before = must(advanced, "subject").revision - given.length;
    const rows = accepted.map((one, place) => {
      const { index, codec, line } = one;
      const { now } = permit.scope;
      const current = codec.current?.(line, now, making.isAtHome) ?? line;
      const reason = barredBy(one, making.idOf, items, known, parts);
      const barred = reason !== null;
      // What was forgotten leaves no name behind either.
      const names = barred ? [] : making.names;
      const row = makeRow(codec, current, { ...making, names, revision: before + place + 1 });
      return { index, codec, reason, row: { ...row, place: index, barred } };
    });
    const landed = await writeRows(tx, permit, rows, making.names);
    const made = rows.filter(({ index, codec }) => codec.table === HOLD && isMade(landed, index));
    const followed = await ledgerHolds(
      services,
      tx,
      permit,
      made.map(({ row }) => row),
    );
    await tx.commit([...followed, op.audit(permit, { writes: countsOf(landed) })]);
    return [...landed, ...left.rest, ...rest];
  });
}

function isMade(landed: readonly LineReply[], index: number): boolean {
  return landed.some((line) => line.index === index && line.status === "imported");
}

/** How many lines of each kind came in. */
function countsOf(landed: readonly LineReply[]) {
  const imported = landed.filter(({ status }) => status === "imported");
  return SUBJECT_CODECS.map(({ kind }) => ({
    kind,
    ids: [],
    count: imported.filter((line) => line.kind === kind).length,
  })).filter(({ count }) => count > 0);
}

interface RowToWrite {
  readonly index: number;
  readonly codec: Codec;
  /** Why it is barred: whether it stands already is the statement's to know. */
  readonly reason: SkipReason | null;
  readonly row: ArchivedRow;
}

async function writeRows(
  tx: Transaction,
  permit: Permit<"import_subject">,
  rows: readonly RowToWrite[],
  names: RowMaking["names"],
): Promise<readonly LineReply[]> {
  const kinds = SUBJECT_CODECS.map((codec) => ({
    codec,
    own: rows.filter((row) => row.codec === codec),
  })).filter(({ own }) => own.length > 0);
  const [, ...answers] = await tx.send([
    ensureExternalIds(subjectScope(permit), names),
    ...kinds.map(({ codec, own }) =>
      writeArchived(
        permit,
        codec.table,
        own.map(({ row }) => row),
      ),
    ),
  ]);
  const byPlace = new Map(rows.map((row) => [row.index, row]));
  return answers
    .flat()
    .map((landed) => replyOf(must(byPlace.get(landed.place), "row of a line"), landed));
}

function replyOf(at: Omit<RowToWrite, "row">, landed: Landed): LineReply {
  const { index, codec, reason } = at;
  // Of two lines that name one row, one made it.
  if (landed.stood) return { index, kind: codec.kind, status: "present" };
  if (landed.made) return { index, kind: codec.kind, status: "imported" };
  if (landed.barred) return skipped(at, reason ?? "erased");
  // Its name goes to another row already.
  if (!landed.placed) return skipped(at, codec.table.isNamed ? "exists_other" : "parent_missing");
  return skipped(at, landed.alive ? "exists_other" : "expired");
}

/** Ids under which lines would stand, where they have one of their own. */
export function idsOf(given: readonly Accepted[], idOf: (id: string) => string): readonly string[] {
  return given.flatMap(({ codec, line }) => {
    const id = line[codec.table.key[0] ?? ""];
    return isUuid(id) ? [idOf(id)] : [];
  });
}
