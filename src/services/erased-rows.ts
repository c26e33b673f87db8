import { RETURN_RULES } from "../domain/erasure-rules.js";
import type { AskedAction } from "../policy/question.js";
import { findTombstones } from "../storage/queries/tombstone-find.js";
import type { AcceptedRow, ImportRowReply } from "./import-rows.js";
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

/** Rows that were observed before their person was forgotten, apart from the others. */
export function splitErased(
  rows: readonly AcceptedRow[],
  forgottenAt: Date | undefined,
): { readonly taken: readonly AcceptedRow[]; readonly skipped: readonly ImportRowReply[] } {
  if (forgottenAt === undefined) return { taken: rows, skipped: [] };
  const isTaken = ({ row }: AcceptedRow) =>
    RETURN_RULES.erase.takes({
      observedAt: new Date(row.observed_at),
      forgottenAt,
      isNewer: false,
      isDifferent: false,
      isOver: false,
    });
  return {
    taken: rows.filter(isTaken),
    skipped: rows.filter((row) => !isTaken(row)).map(skip),
  };
}

function skip({ index }: AcceptedRow): ImportRowReply {
  const message = "the person was forgotten after this was observed";
  return { index, status: "skipped", refusal: { kind: "erased", field: "observed_at", message } };
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
  const permit = services.policy.resolvePermit(caller.principal, op.now);
  const [[tombstone]] = await services.store.transact(permit, (tx) =>
    tx.commit([findTombstones(permit, "subject", [person])]),
  );
  const left = new Map<string, readonly AcceptedRow[]>();
  const skipped: ImportRowReply[] = [];
  for (const [session, rows] of bySession) {
    const split = splitErased(rows, tombstone?.recordedAt);
    skipped.push(...split.skipped);
    if (split.taken.length > 0) left.set(session, split.taken);
  }
  return { bySession: left, skipped };
}
