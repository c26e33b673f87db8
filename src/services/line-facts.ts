import type { LineFacts, LineRow, PutBy } from "../domain/assembly/diagnose.js";
import type { ManifestEntry } from "../domain/assembly/pack.js";
import { pastedInto } from "../domain/assembly/paste.js";
import { isUuid, type TurnId, trustedId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import { listRecalls, type RecallRow } from "../storage/queries/audit-list-recalls.js";
import { listWrites, type WriteRow } from "../storage/queries/audit-list-writes.js";
import type { PackRow } from "../storage/queries/pack-find.js";
import type { RunRow } from "../storage/queries/run-read.js";
import { findTurnOrigins, type TurnOrigin } from "../storage/queries/turn-find-origins.js";
import { listTurnsBySession } from "../storage/queries/turn-list-by-session.js";
import { listEvidence } from "../storage/queries/turn-list-evidence.js";
import { listWorkingByRun } from "../storage/queries/working-list-by-run.js";
import type { Transaction } from "../storage/store.js";
import type { PinnedRun } from "./pins.js";
import type { Services } from "./services.js";
import { openTurns } from "./turn-reading.js";
import { openWorking } from "./working-values.js";

export interface NumberedLine {
  /** Its place among the pack's entries, from 1. */
  readonly line: number;
  readonly entry: ManifestEntry;
}

interface Asked {
  readonly pack: PackRow;
  readonly run: RunRow;
  readonly wanted: readonly NumberedLine[];
}

/** What the rows and the audit trail say of a line. */
export interface KnownLine extends NumberedLine, Pick<LineFacts, "row" | "put" | "pastedTurns"> {}

/** Later recalls that a slow look back is spared. */
const NEWER_THAN_ALL = Number.MAX_SAFE_INTEGER;

/**
 * Collects what is known of lines: their rows, the audit rows of the writes that put them there, and whether they hold a
 * copy of what the run had recalled. Texts are opened for that comparison and go no further.
 */
export async function readLineFacts(
  services: Services,
  tx: Transaction,
  permit: Permit,
  { key }: PinnedRun,
  { run, wanted }: Asked,
): Promise<readonly KnownLine[]> {
  const [working, turns, origins, recalls] = await tx.send([
    listWorkingByRun(permit, LIMITS.workingRowsMax),
    listTurnsBySession(permit, LIMITS.assemblyTurnsMax, null),
    findTurnOrigins(
      permit,
      wanted.flatMap(({ entry }) => turnIds(entry.source)),
    ),
    listRecalls(permit, LIMITS.pageRowsMax),
  ]);
  const turnRows = new Map(origins.map((origin) => [origin.turnId, origin]));
  const workingRows = new Map<string, Date>([
    ["goal", run.createdAt],
    ...working.map((row) => [sourceOf(row.class, row.key), row.recordedAt] as const),
  ]);
  const rows = wanted.map(({ entry }) => rowOf(entry.source[0] ?? "", workingRows, turnRows));
  const moments = rows.flatMap((row) => (row === null ? [] : [row.recordedAt]));
  const [writes, recalled] = await tx.send([
    listWrites(permit, moments, LIMITS.workingRowsMax),
    listEvidence(permit, { ids: recalledIds(recalls), newerThan: NEWER_THAN_ALL, newerMax: 0 }),
  ]);
  const pasteable = openTurns(recalled, key, services.onAlarm).map(({ row, content }) => ({
    id: row.turnId,
    text: content.text,
  }));
  const texts = new Map<string, string>([
    ...openWorking(working, key, services.onAlarm).map(
      (item) => [sourceOf(item.class, item.key), JSON.stringify(item.value)] as const,
    ),
    // What a person says again isn't a copy.
    ...openTurns(turns, key, services.onAlarm)
      .filter(({ role }) => role !== "user")
      .map(({ row, content }) => [row.turnId, content.text] as const),
  ]);
  return wanted.map((one, index) => {
    const source = one.entry.source[0] ?? "";
    const row = rows[index] ?? null;
    const sources = pasteable.filter(({ id }) => id !== source);
    const pasted =
      one.entry.layer === "working" ? pastedInto(texts.get(source) ?? "", sources) : [];
    return { ...one, row, put: putOf(row, source, writes), pastedTurns: pasted };
  });
}

/** How a pack names a row of working memory: a kind with one row goes by its kind alone. */
function sourceOf(kind: string, key: string): string {
  return key === kind ? kind : `${kind}:${key}`;
}

function turnIds(source: readonly string[]): readonly TurnId[] {
  return source.filter(isUuid).map((id) => trustedId<"TurnId">(id));
}

function recalledIds(recalls: readonly RecallRow[]): readonly TurnId[] {
  const ids = recalls.flatMap(({ operation, reads }) => {
    const kind = operation === "recall_turns" ? "turn" : "recalled";
    return reads.filter((read) => read.kind === kind).flatMap((read) => turnIds(read.ids));
  });
  return [...new Set(ids)].slice(0, LIMITS.pageRowsMax);
}

function rowOf(
  source: string,
  working: ReadonlyMap<string, Date>,
  turns: ReadonlyMap<string, TurnOrigin>,
): LineRow | null {
  const turn = turns.get(source);
  if (turn !== undefined) {
    const { recordedAt, sessionId: session, runId: run, routeId: route, role } = turn;
    return { memory: "turn", recordedAt, session, run, route, role };
  }
  const recordedAt = working.get(source);
  return recordedAt === undefined ? null : { memory: "working", recordedAt };
}

/** The write of a row: the newest one of its instant that names it. */
function putOf(row: LineRow | null, source: string, writes: readonly WriteRow[]): PutBy | null {
  if (row === null) return null;
  const write = writes.find(
    (one) => one.recordedAt.getTime() === row.recordedAt.getTime() && names(one, source),
  );
  if (write === undefined) return null;
  const { auditId, operation, recordedAt, principalRef, principalKind, policyIds, runId } = write;
  return {
    audit_id: auditId,
    operation,
    at: recordedAt.toISOString(),
    principal_ref: principalRef,
    principal_kind: principalKind,
    policy_ids: policyIds,
    run_id: runId,
    from_run: operation === "handoff_slots" ? fromRun(write, source) : null,
  };
}

/** A turn goes by its id and a slot by its stage; notes come with a slot, the other classes by their name, a goal with its run. */
function names({ writes, operation }: WriteRow, source: string): boolean {
  const [kind = "", key = ""] = source.split(/:(.*)/s);
  return writes.some(({ kind: written, ids }) => {
    if (written === "turn") return ids.includes(source);
    if (written === "slot")
      return kind === "slot"
        ? ids.includes(key)
        : kind === "note" && operation === "complete_stage";
    if (written === "working") return ids.includes(kind);
    return written === "run" && kind === "goal";
  });
}

function fromRun({ reads }: WriteRow, source: string): string | null {
  const slot = source.slice("slot:".length);
  const read = reads.flatMap(({ ids }) => ids).find((id) => id.endsWith(`/${slot}`));
  return read === undefined ? null : read.slice(0, -slot.length - 1);
}
