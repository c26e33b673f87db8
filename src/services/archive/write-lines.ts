import { must } from "../../domain/errors.js";
import type { Permit } from "../../domain/permit.js";
import { type Landed, writeArchived } from "../../storage/archive/archive-write.js";
import type { ArchivedRow } from "../../storage/archive/archived-table.js";
import { HOLD } from "../../storage/archive/hold-table.js";
import { ensureExternalIds } from "../../storage/queries/external-id-insert.js";
import { subjectScope } from "../../storage/scope.js";
import type { Transaction } from "../../storage/store.js";
import type { Accepted } from "./accept-lines.js";
import type { Codec } from "./codec.js";
import { type LineReply, type SkipReason, skipped } from "./line-replies.js";
import { makeRow, type RowMaking } from "./make-row.js";
import { SUBJECT_CODECS } from "./subject-codecs.js";

export interface LineRow {
  readonly index: number;
  readonly codec: Codec;
  /** Why it is barred: whether it stands already is the statement's to know. */
  readonly reason: SkipReason | null;
  readonly row: ArchivedRow;
}

/** The row that a line becomes here. What was forgotten leaves no name behind either. */
export function lineRow(
  { index, codec, line }: Accepted,
  reason: SkipReason | null,
  making: RowMaking,
): LineRow {
  const current = codec.current?.(line, making.permit.scope.now, making.isAtHome) ?? line;
  const barred = reason !== null;
  const row = makeRow(codec, current, barred ? { ...making, names: [] } : making);
  return { index, codec, reason, row: { ...row, place: index, barred } };
}

/** Writes rows of all kinds in one flush, and says of each line what became of it. */
export async function writeLines(
  tx: Transaction,
  permit: Permit<"import_subject">,
  rows: readonly LineRow[],
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

/** Rows of the holds that weren't here before. */
export function madeHolds(
  rows: readonly LineRow[],
  landed: readonly LineReply[],
): readonly ArchivedRow[] {
  const made = landed.filter(({ status }) => status === "imported").map(({ index }) => index);
  return rows
    .filter(({ index, codec }) => codec.table === HOLD && made.includes(index))
    .map(({ row }) => row);
}

function replyOf(at: Omit<LineRow, "row">, landed: Landed): LineReply {
  const { index, codec, reason } = at;
  // Of two lines that name one row, one made it.
  if (landed.stood) return { index, kind: codec.kind, status: "present" };
  if (landed.made) return { index, kind: codec.kind, status: "imported" };
  if (landed.barred) return skipped(at, reason ?? "erased");
  // Its name goes to another row already.
  if (!landed.placed) return skipped(at, codec.table.isNamed ? "exists_other" : "parent_missing");
  return skipped(at, landed.alive ? "exists_other" : "expired");
}
