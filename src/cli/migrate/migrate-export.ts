import type { TranscriptRow } from "../import/row.js";
import { type BatchReply, type ImportResult, type LeftRow, uploadRows } from "../import/upload.js";
import { candidateRows, type Seen } from "./candidate-rows.js";
import type { FieldMap } from "./field-map.js";
import { type Propose, proposeRows } from "./propose-rows.js";
import { type Origin, readExport } from "./read-export.js";

export interface Migration {
  readonly file: string;
  readonly from: Origin;
  readonly map: FieldMap;
  /** Whose memories they are, where neither the file nor the mapping says. */
  readonly subject: string | null;
  readonly propose: Propose;
  readonly onProgress: (result: ImportResult) => void;
}

/** Counts and places, never text. */
export interface MigrateResult {
  readonly from: Origin;
  /** What the export held, by kind. */
  readonly memories: Seen["memories"];
  /** Of those, how many no rule made anything of: they are not kept. */
  readonly unmapped: number;
  /** New candidates: each waits for a person. */
  readonly candidates: number;
  /** Proposed before: from the same memory, or with the same value. */
  readonly duplicates: number;
  /** From a source that was forgotten. */
  readonly skipped: number;
  readonly refused: number;
  readonly rows: readonly LeftRow[];
}

/** Proposes what a mapping makes of an export. Writes nothing else, and nothing into the store. */
export async function migrateExport(migration: Migration): Promise<MigrateResult> {
  const { file, from, map, subject, propose, onProgress } = migration;
  const seen: Seen = { memories: {}, unmapped: 0 };
  const post = (whose: string, rows: readonly TranscriptRow["row"][]): Promise<BatchReply> =>
    proposeRows(rows, (row) => propose(whose, row));
  const rows = candidateRows(readExport(file, from), map, seen);
  const {
    imported,
    duplicates,
    skipped,
    refused,
    rows: left,
  } = await uploadRows(rows, {
    post,
    subject,
    onProgress,
  });
  return { from, ...seen, candidates: imported, duplicates, skipped, refused, rows: left };
}
