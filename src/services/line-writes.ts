import type { LineRow, PutBy } from "../domain/assembly/diagnose.js";
import type { WriteRow } from "../storage/queries/audit-list-writes.js";

/** The write of a row: the newest one of its instant that names it. */
export function putOf(
  row: LineRow | null,
  source: string,
  writes: readonly WriteRow[],
): PutBy | null {
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

/** Kinds of rows that a pack names by their own ids. */
const OWN_ID: ReadonlySet<string> = new Set(["turn", "episode", "promotion"]);

/** A turn goes by its id and a slot by its stage; notes come with a slot, the other classes by their name, a goal with its run. */
function names({ writes, operation }: WriteRow, source: string): boolean {
  const [kind = "", key = ""] = source.split(/:(.*)/s);
  return writes.some(({ kind: written, ids }) => {
    if (OWN_ID.has(written)) return ids.includes(source);
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
