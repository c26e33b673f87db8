import type { ArchiveLine } from "../domain/archive.js";
import { MunimentError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import { ArchiveReader, type NumberedLine } from "./archive/archive-reader.js";
import type { ImportSubjectBody, ImportTenantBody } from "./archive/bodies.js";
import { type LineReply, type LineTally, refusedLine, tally } from "./archive/line-replies.js";

/** What takes the lines in: the operations of one caller, in this process or behind a door. */
export interface ArchiveTaker {
  importSubject(subject: string, body: ImportSubjectBody): Promise<BatchReply>;
  importTenant(body: ImportTenantBody): Promise<BatchReply>;
}

type BatchReply = LineTally & { readonly lines: readonly LineReply[] };

/** What became of a line that wasn't taken in. No text of it. */
export type LeftLine = Omit<LineReply, "index"> & { readonly line: number };

export interface ImportArchiveResult extends LineTally {
  /** False where the archive's trailer is missing, or doesn't fit the lines before it. */
  readonly whole: boolean;
  /** Lines that were skipped or refused, the first thousand of them. */
  readonly left: readonly LeftLine[];
}

const LEFT_MAX = 1_000;
/** Well below what one request may hold. */
const BATCH_CHARS = 256 * 1024;

/**
 * Brings in a whole archive, batch by batch in its order. Nothing is undone where it breaks off: brought in again, the lines
 * that are here are left as they are, and the others come.
 */
export async function importArchive(
  taker: ArchiveTaker,
  archive: AsyncIterable<string>,
  onProgress: (result: LineTally) => void = () => undefined,
): Promise<ImportArchiveResult> {
  const reader = new ArchiveReader();
  const sum = { imported: 0, present: 0, skipped: 0, refused: 0 };
  const left: LeftLine[] = [];
  const note = (batch: Batch, reply: BatchReply) => {
    for (const status of ["imported", "present", "skipped", "refused"] as const)
      sum[status] += reply[status];
    for (const { index, ...line } of reply.lines) {
      if (line.status !== "skipped" && line.status !== "refused") continue;
      const number = batch.lines[index]?.number ?? 0;
      if (left.length < LEFT_MAX) left.push({ line: number, ...line });
    }
    onProgress(sum);
  };
  let batch: Batch = newBatch(null);
  const send = async () => {
    for (const part of await sent(taker, batch)) note(part.batch, part.reply);
  };
  for await (const numbered of reader.read(archive, () => undefined)) {
    const { line } = numbered;
    if (line.kind === "subject") {
      await send();
      batch = newBatch(line);
      continue;
    }
    const chars = JSON.stringify(line).length;
    const isFull =
      batch.lines.length === LIMITS.archiveLinesMax || batch.chars + chars > BATCH_CHARS;
    if (isFull) {
      await send();
      batch = newBatch(batch.subject);
    }
    batch.lines.push(numbered);
    batch.chars += chars;
  }
  await send();
  return { ...sum, whole: reader.isWhole, left };
}

interface Sent {
  readonly batch: Batch;
  readonly reply: BatchReply;
}

/** Sends a batch. Where it is more than one request may hold, its halves are; a line that is too large by itself is left. */
async function sent(taker: ArchiveTaker, batch: Batch): Promise<readonly Sent[]> {
  const { subject, lines } = batch;
  if (lines.length === 0) return [];
  try {
    return [{ batch, reply: await post(taker, batch) }];
  } catch (error) {
    if (!(error instanceof MunimentError) || error.kind !== "too_large") throw error;
    const [only] = lines;
    if (lines.length === 1 && only !== undefined) {
      const refused = refusedLine(0, only.line.kind, error);
      return [{ batch, reply: { ...tally([refused]), lines: [refused] } }];
    }
    const middle = Math.ceil(lines.length / 2);
    const half = (part: NumberedLine[]) => sent(taker, { ...newBatch(subject), lines: part });
    return [...(await half(lines.slice(0, middle))), ...(await half(lines.slice(middle)))];
  }
}

interface Batch {
  /** Whose lines they are; null for the tenant's own. */
  readonly subject: ArchiveLine | null;
  readonly lines: NumberedLine[];
  chars: number;
}

function newBatch(subject: ArchiveLine | null): Batch {
  return { subject, lines: [], chars: 0 };
}

function post(taker: ArchiveTaker, { subject, lines }: Batch): Promise<BatchReply> {
  const body = { lines: lines.map(({ line }) => line) };
  // A person's line that comes before any person is nobody's: it is refused as no line of the tenant's.
  if (subject === null) return taker.importTenant(body);
  return taker.importSubject(String(subject.subject), { subject, ...body });
}
