import { configure } from "safe-stable-stringify";
import { isKept } from "../domain/erased-stores.js";
import type { Erasure } from "../domain/erasure.js";
import { must } from "../domain/errors.js";
import type { LedgerHead, LedgerKey } from "../domain/ledger.js";
import type { Permit } from "../domain/permit.js";
import { countOfSubject, listStores } from "../storage/queries/store-search.js";
import type { Transaction } from "../storage/store.js";
import { countRemembered } from "./forget-subject.js";
import type { Services } from "./services.js";
import type { StoreFound } from "./stored-files.js";

export interface StoreReceipt extends StoreFound {
  readonly rows_removed: number;
}

/** What was done, as a search found it afterwards. No content, and no id from outside. */
export interface Receipt {
  readonly erasure_id: string;
  readonly tenant: string;
  readonly reason: string;
  readonly basis: string;
  readonly scope: string;
  readonly requested_at: string;
  /** At the latest: the transaction that removed the rows had committed by then. */
  readonly not_retrievable_at: string;
  /** When the bytes themselves are gone, by where they stand. */
  readonly bytes: {
    readonly keys_destroyed_at: string | null;
    readonly heap: string;
    readonly wal: string;
    readonly backups: string;
  };
  readonly stores: readonly StoreReceipt[];
  /** Rows that stay as a record: ids, times, verdicts and hashes. */
  readonly kept: readonly { readonly name: string; readonly rows: number }[];
  readonly ledger: LedgerHead;
  readonly policy_set: string;
  readonly signature: string;
}

/** Of something of a subject that lives on, and whose key does. */
const BYTES_UNDER_LIVE_KEY = {
  heap: "sealed under the subject's key, which lives on; overwritten after the database's next vacuum",
  wal: "sealed under the subject's key, which lives on; gone when the log is recycled",
  backups:
    "sealed in backups of the database as long as those are kept; erased again when one is restored",
};

const BYTES = {
  heap: "sealed under the destroyed key; overwritten after the database's next vacuum",
  wal: "sealed under the destroyed key; gone when the log is recycled",
  backups:
    "sealed under the destroyed key; a backup of custody older than the erasure still holds it until its stated age is over",
};

/** Where a person's data key is kept. */
const KEYS = "custody.keys";

/** A search of one subject: what is left where nothing may be, and what stays as a record. */
export interface Search {
  readonly stores: readonly StoreFound[];
  readonly kept: Receipt["kept"];
}

/** Looks for a subject in every table that the catalogue knows, in custody, in this process and in the files beside them. */
export async function searchSubject(
  services: Services,
  tx: Transaction,
  permit: Permit,
  { subjectId, keyId }: Pick<Erasure, "subjectId" | "keyId">,
): Promise<Search> {
  const { tenant } = permit.scope;
  const [known] = await tx.send([listStores()]);
  const tables = known
    .filter(({ columns }) => columns.includes("subject_id"))
    .map(({ table }) => table);
  const counts = await tx.send(tables.map((table) => countOfSubject(permit, table)));
  const rows = tables.map((name, place) => ({ name, found: counts[place]?.[0]?.found ?? 0 }));
  // As custody has it now, whatever this process remembers of it.
  if (keyId !== null) services.keyring.refreshSubjectKey({ tenant, subject: subjectId, keyId });
  const key = keyId === null ? null : await services.keyring.subjectKey(tenant, subjectId, keyId);
  const ids = keyId === null ? [subjectId] : [subjectId, keyId];
  const files = await services.files.search(ids, "beside");
  return {
    stores: [
      ...rows.filter(({ name }) => !isKept(name)),
      { name: KEYS, found: key === null ? 0 : 1 },
      ...countRemembered(services, tenant, subjectId),
      ...files,
    ],
    kept: rows.filter(({ name }) => isKept(name)).map(({ name, found }) => ({ name, rows: found })),
  };
}

export interface ReceiptParts {
  readonly erasure: Erasure & { readonly removed: Readonly<Record<string, number>> };
  readonly tenant: string;
  readonly notRetrievableAt: Date;
  readonly keysDestroyedAt: Date | null;
  readonly search: Search;
  readonly ledger: LedgerHead;
  readonly policySet: string;
}

export function makeReceipt(key: LedgerKey, parts: ReceiptParts): Receipt {
  const { erasure, search, ledger } = parts;
  // No table has the person's key: what removed it is no statement's count.
  const removed: Readonly<Record<string, number>> = {
    ...erasure.removed,
    [KEYS]: parts.keysDestroyedAt === null ? 0 : 1,
  };
  const unsigned = {
    erasure_id: erasure.erasureId,
    tenant: parts.tenant,
    reason: erasure.reason,
    basis: erasure.basis,
    scope: erasure.scope,
    requested_at: erasure.requestedAt.toISOString(),
    not_retrievable_at: parts.notRetrievableAt.toISOString(),
    bytes: {
      keys_destroyed_at: parts.keysDestroyedAt?.toISOString() ?? null,
      ...(erasure.keyId === null ? BYTES_UNDER_LIVE_KEY : BYTES),
    },
    stores: search.stores.map((store) => ({ ...store, rows_removed: removed[store.name] ?? 0 })),
    kept: search.kept,
    ledger: { seq: ledger.seq, mac: ledger.mac },
    policy_set: parts.policySet,
  };
  return { ...unsigned, signature: key.sign(signedText(unsigned)) };
}

const canonical = configure({ bigint: false });

/** What the signature is over: the receipt without it, in its one spelling. */
export function signedText(receipt: object): string {
  const { signature: _, decision: __, ...rest } = receipt as Record<string, unknown>;
  return must(canonical(rest), "receipt");
}

export function isSigned(key: LedgerKey, receipt: Readonly<Record<string, unknown>>): boolean {
  return receipt.signature === key.sign(signedText(receipt));
}
