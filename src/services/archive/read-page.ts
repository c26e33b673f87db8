import type { ArchiveLine, SubjectLine } from "../../domain/archive.js";
import { LIMITS } from "../../domain/limits.js";
import type { Permit } from "../../domain/permit.js";
import type { Touched } from "../../domain/trace.js";
import { Unmet } from "../../domain/unmet.js";
import { type Place, placeOf, readArchived } from "../../storage/archive/archive-read.js";
import { readSubjectBegin } from "../../storage/queries/subject-import.js";
import type { Transaction } from "../../storage/store.js";
import type { Caller } from "../caller.js";
import { govern } from "../govern.js";
import { orAlarm } from "../integrity.js";
import type { Services } from "../services.js";
import type { KnownSubject } from "../subjects.js";
import { writeLine } from "./line.js";
import { memoryOf } from "./people.js";
import { SUBJECT_CODECS } from "./subject-codecs.js";

/** Where an export goes on: in which kind, behind which row. */
export interface Position {
  readonly kind: number;
  readonly after: Place;
}

export const START: Position = { kind: 0, after: null };

export interface Page {
  readonly subject: SubjectLine;
  readonly lines: readonly ArchiveLine[];
  /** Rows of each kind that don't open in their place. */
  readonly unreadable: readonly { readonly kind: string; readonly rows: number }[];
  /** Null at the end. */
  readonly next: Position | null;
}

/** One page of a subject's memory, opened: one transaction, with an audit row that names what was read. */
export function readPage(
  services: Services,
  caller: Caller,
  subjectId: string,
  from: Position,
): Promise<Page> {
  return govern(services, caller, "export_subject", async (op) => {
    const { externalId, subject, resource } = await memoryOf(op, subjectId);
    const permit = op.permit(resource, {});
    return await services.store.transact(permit, async (tx) => {
      const [[begin]] = await tx.send([readSubjectBegin(permit)]);
      if (begin === undefined) throw new Unmet("subject_gone");
      const { reads, ...page } = await readRows(services, tx, permit, subject, from);
      await tx.commit([op.audit(permit, { reads })]);
      const line = {
        kind: "subject",
        subject_id: subject.subject,
        subject: externalId,
        created_at: begin.createdAt.toISOString(),
      };
      return { ...page, subject: line as SubjectLine };
    });
  });
}

async function readRows(
  services: Services,
  tx: Transaction,
  permit: Permit,
  { subject, key }: KnownSubject,
  from: Position,
): Promise<Omit<Page, "subject"> & { readonly reads: readonly Touched[] }> {
  const { now } = permit.scope;
  const lines: ArchiveLine[] = [];
  const unreadable: { kind: string; rows: number }[] = [];
  const reads: Touched[] = [];
  let rowsLeft: number = LIMITS.archiveLinesMax;
  let { kind, after } = from;
  for (let codec = SUBJECT_CODECS[kind]; codec !== undefined; codec = SUBJECT_CODECS[kind]) {
    if (rowsLeft === 0) return { lines, unreadable, reads, next: { kind, after } };
    const [rows] = await tx.send([readArchived(permit, codec.table, after, rowsLeft)]);
    const own = codec;
    const opened = rows.flatMap(
      (row) => orAlarm(services.onAlarm, () => writeLine(own, row, { subject, key, now })) ?? [],
    );
    lines.push(...opened);
    if (opened.length < rows.length)
      unreadable.push({ kind: codec.kind, rows: rows.length - opened.length });
    if (rows.length > 0) reads.push({ kind: codec.kind, ids: [], count: rows.length });
    const last = rows.length === rowsLeft ? rows.at(-1) : undefined;
    rowsLeft -= rows.length;
    if (last === undefined) kind += 1;
    after = last === undefined ? null : placeOf(codec.table, last);
  }
  return { lines, unreadable, reads, next: null };
}
