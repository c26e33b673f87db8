import { assert } from "../domain/errors.js";
import { isUuid, type TenantId, trustedId } from "../domain/ids.js";
import type { LedgerEntry, LedgerLine } from "../domain/ledger.js";
import { LIMITS } from "../domain/limits.js";
import type { StoredLine } from "./ledger-store.js";

/** SHA-256 in base64. */
const MAC = /^[A-Za-z0-9+/]{43}=$/;

interface LineText {
  readonly step: LedgerLine["step"];
  readonly erasure_id: string;
  readonly reason: LedgerLine["reason"];
  readonly basis: LedgerLine["basis"];
  readonly scope: LedgerLine["scope"];
  readonly target: string;
  readonly subject_id: string;
  readonly key_id: string | null;
  readonly subject_mac: string;
  readonly item_macs: readonly string[];
  /** Absent from lines of before there were any. */
  readonly ahead_macs?: readonly string[];
  /** MAC and time of each; absent likewise. */
  readonly requests?: readonly (readonly [string, string])[];
  readonly key_version?: number | null;
  readonly at: string;
}

/** A line in its one spelling. INVARIANT: ids of ours, closed words and MACs alone get into the ledger. */
export function textOf(line: LedgerLine): string {
  const ids = [line.erasureId, line.target, line.subject, ...(line.keyId ? [line.keyId] : [])];
  assert(ids.every(isUuid), "the ledger names things by our own ids");
  const items = [...line.itemMacs, ...line.aheadMacs, ...line.requests.map(({ mac }) => mac)];
  assert(items.length <= LIMITS.ledgerMacsMax, "a ledger line has a bounded list of MACs");
  assert(
    [line.subjectMac, ...items].every((mac) => MAC.test(mac)),
    "the ledger names people and contents by MACs",
  );
  return JSON.stringify({
    step: line.step,
    erasure_id: line.erasureId,
    reason: line.reason,
    basis: line.basis,
    scope: line.scope,
    target: line.target,
    subject_id: line.subject,
    key_id: line.keyId,
    subject_mac: line.subjectMac,
    item_macs: line.itemMacs,
    ahead_macs: line.aheadMacs,
    requests: line.requests.map(({ mac, until }) => [mac, until.toISOString()] as const),
    key_version: line.keyVersion,
    at: line.at.toISOString(),
  } satisfies LineText);
}

/** Takes a line whose MAC was found right, so that it is as we wrote it. */
export function entryOf(tenant: TenantId, { seq, text, mac }: StoredLine): LedgerEntry {
  const line = JSON.parse(text) as LineText;
  return {
    tenant,
    seq,
    mac,
    step: line.step,
    erasureId: trustedId<"ErasureId">(line.erasure_id),
    reason: line.reason,
    basis: line.basis,
    scope: line.scope,
    target: line.target,
    subject: trustedId<"SubjectId">(line.subject_id),
    keyId: line.key_id === null ? null : trustedId<"KeyId">(line.key_id),
    subjectMac: line.subject_mac,
    itemMacs: line.item_macs,
    aheadMacs: line.ahead_macs ?? [],
    requests: (line.requests ?? []).map(([requestMac, until]) => ({
      mac: requestMac,
      until: new Date(until),
    })),
    keyVersion: line.key_version ?? null,
    at: new Date(line.at),
  };
}
