import { type ErrorKind, MunimentError } from "../../domain/errors.js";
import type { ImportReply } from "../../services/import-turns.js";
import { isUnreadable, type Parsed, type TranscriptRow } from "./row.js";

export interface LeftRow {
  /** Place of the row in the file, from 0. */
  readonly index: number;
  /** `skipped`: it was forgotten, and mayn't come again. */
  readonly status: "refused" | "skipped";
  readonly place: string;
  readonly kind: ErrorKind;
  readonly field: string | null;
  readonly message: string;
}

export interface ImportResult {
  imported: number;
  duplicates: number;
  skipped: number;
  refused: number;
  /** What was skipped or refused, without text. The first thousand: the numbers count all. */
  readonly rows: LeftRow[];
  /** Turns that are kept now, by subject: the first thousand. */
  readonly subjects: Map<string, number>;
}

/** What became of the rows of one request. */
export interface BatchReply extends Pick<ImportReply, "imported" | "duplicates"> {
  readonly rows: readonly (Pick<ImportReply["rows"][number], "index" | "refusal"> & {
    readonly status: string;
  })[];
}

export interface Upload {
  /** Sends rows of one subject. */
  readonly post: (subject: string, rows: readonly TranscriptRow["row"][]) => Promise<BatchReply>;
  /** Rows of one request at most. */
  readonly batchRows?: number;
  /** Subject of all rows; null where the file names them. */
  readonly subject: string | null;
  /** Told after each batch. */
  readonly onProgress: (result: ImportResult) => void;
}

type Indexed = TranscriptRow & { readonly index: number; readonly bytes: number };

const BATCH_ROWS = 200;
/** Well below the service's limit of a body. */
const BATCH_BYTES = 512 * 1024;
/** Subjects whose rows wait at once: a file may name a new one each line. */
const WAITING_SUBJECTS_MAX = 64;
const LEFT_SHOWN_MAX = 1_000;
const SUBJECTS_SHOWN_MAX = 1_000;

/** Sends rows in batches, subject by subject. A bad row is refused by itself. */
export async function uploadRows(
  rows: AsyncIterable<Parsed>,
  upload: Upload,
): Promise<ImportResult> {
  const result: ImportResult = {
    imported: 0,
    duplicates: 0,
    skipped: 0,
    refused: 0,
    rows: [],
    subjects: new Map(),
  };
  const waiting = new Map<string, Indexed[]>();
  const flush = async (subject: string): Promise<void> => {
    const batch = waiting.get(subject) ?? [];
    waiting.delete(subject);
    if (batch.length === 0) return;
    await send(subject, batch, upload, result);
    upload.onProgress(result);
  };
  let index = -1;
  for await (const parsed of rows) {
    index += 1;
    const problem = problemOf(parsed, upload.subject);
    if (problem !== null || isUnreadable(parsed)) {
      const { field = null, message = "isn't a row" } = problem ?? {};
      refuse(result, { index, place: parsed.place, kind: "invalid_input", field, message });
      continue;
    }
    const subject = parsed.subject ?? upload.subject ?? "";
    const bytes = Buffer.byteLength(JSON.stringify(parsed.row));
    const batch = waiting.get(subject) ?? [];
    const heavy = batch.reduce((sum, row) => sum + row.bytes, bytes) > BATCH_BYTES;
    if (heavy || batch.length === (upload.batchRows ?? BATCH_ROWS)) await flush(subject);
    const open = waiting.get(subject) ?? [];
    open.push({ ...parsed, index, bytes });
    waiting.set(subject, open);
    const [longest] = waiting.keys();
    if (waiting.size > WAITING_SUBJECTS_MAX && longest !== undefined) await flush(longest);
  }
  for (const subject of [...waiting.keys()]) await flush(subject);
  result.rows.sort((a, b) => a.index - b.index);
  return result;
}

/** Why a row can't be sent: it isn't one, or it isn't known whose it is. */
function problemOf(
  parsed: Parsed,
  given: string | null,
): Pick<LeftRow, "field" | "message"> | null {
  if (isUnreadable(parsed)) return parsed;
  const { subject: own } = parsed;
  if (own !== null && given !== null && own !== given) {
    return { field: "subject", message: "isn't the subject that was given" };
  }
  if (own !== null || given !== null) return null;
  return { field: "subject", message: "is missing: say it in the file, or with --subject" };
}

/** Whether an import did what it could: nothing of it was taken, and not because it was forgotten. */
export function isFailed({ imported, duplicates, skipped, refused }: ImportResult): boolean {
  return imported + duplicates === 0 && (refused > 0 || skipped === 0);
}

function refuse(result: ImportResult, row: Omit<LeftRow, "status">): void {
  leave(result, { ...row, status: "refused" });
}

function leave(result: ImportResult, row: LeftRow): void {
  result[row.status] += 1;
  if (result.rows.length < LEFT_SHOWN_MAX) result.rows.push(row);
}

/** Kinds that a single row can bring about in the request as a whole. */
const OF_A_ROW: readonly ErrorKind[] = ["invalid_input", "scope_in_input", "too_large"];

/** Sends a batch. Where one row sinks the request itself (a key `__proto__`, say), halves find it. */
async function send(
  subject: string,
  batch: readonly Indexed[],
  upload: Upload,
  result: ImportResult,
): Promise<void> {
  try {
    const rows = batch.map(({ row }) => row);
    note(await upload.post(subject, rows), { subject, batch }, result);
  } catch (error) {
    if (!(error instanceof MunimentError) || !OF_A_ROW.includes(error.kind)) throw error;
    if (error.field === "route_id" || error.field === "subject") throw error;
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) {
      const { kind, field = null, message } = error;
      refuse(result, { index: only.index, place: only.place, kind, field, message });
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await send(subject, batch.slice(0, middle), upload, result);
    await send(subject, batch.slice(middle), upload, result);
  }
}

interface Sent {
  readonly subject: string;
  readonly batch: readonly Indexed[];
}

function note(reply: BatchReply, { subject, batch }: Sent, result: ImportResult): void {
  const kept = reply.imported + reply.duplicates;
  const before = result.subjects.get(subject);
  if (kept > 0 && (before !== undefined || result.subjects.size < SUBJECTS_SHOWN_MAX)) {
    result.subjects.set(subject, (before ?? 0) + kept);
  }
  result.imported += reply.imported;
  result.duplicates += reply.duplicates;
  for (const { index, status, refusal } of reply.rows) {
    const sent = batch[index];
    if (refusal === undefined || sent === undefined) continue;
    const { kind, field, message } = refusal;
    const why = { index: sent.index, place: sent.place, kind, field, message };
    leave(result, { ...why, status: status === "skipped" ? "skipped" : "refused" });
  }
}
