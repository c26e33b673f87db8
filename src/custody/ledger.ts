import { assert, MunimentError } from "../domain/errors.js";
import type { TenantId } from "../domain/ids.js";
import {
  type Ledger,
  type LedgerEntry,
  type LedgerHead,
  type LedgerKey,
  type LedgerLine,
  NO_HEAD,
} from "../domain/ledger.js";
import { LIMITS } from "../domain/limits.js";
import type { ChainKey } from "./ledger-key.js";
import type { LedgerStore, StoredLine } from "./ledger-store.js";
import { entryOf, textOf } from "./ledger-text.js";

export interface LedgerParts {
  readonly custodyId: string;
  readonly store: LedgerStore;
  /** Null where the tenant has none yet. */
  findKey(tenant: TenantId): Promise<ChainKey | null>;
  /** Makes the tenant's key unless it has one. */
  makeKey(tenant: TenantId): Promise<ChainKey>;
}

/** The ledger over any driver: numbers and chains lines, and reads none whose chain is broken. */
export class CustodyLedger implements Ledger {
  readonly #parts: LedgerParts;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
  }

  async append(tenant: TenantId, lines: readonly LedgerLine[]): Promise<readonly LedgerEntry[]> {
    assert(
      lines.length > 0 && lines.length <= LIMITS.ledgerLinesMax,
      "an append to the ledger has lines, and not too many",
    );
    const texts = lines.map(textOf);
    const key = await this.#key(tenant);
    let stored: readonly StoredLine[] = [];
    await this.#parts.store.append(tenant, (head) => {
      stored = this.#chain(key, tenant, head, texts);
      return stored;
    });
    return stored.map((line) => entryOf(tenant, line));
  }

  async read(tenant: TenantId, afterSeq: number, limit: number): Promise<readonly LedgerEntry[]> {
    const rows = Math.min(limit, LIMITS.ledgerRowsMax);
    if (afterSeq === 0) return this.#verified(tenant, NO_HEAD, await this.#lines(tenant, 1, rows));
    const [anchor, ...lines] = await this.#lines(tenant, afterSeq, rows + 1);
    if (anchor?.seq !== afterSeq) throw broken(tenant, afterSeq);
    return this.#verified(tenant, anchor, lines);
  }

  async head(tenant: TenantId): Promise<LedgerHead> {
    const { seq, mac } = await this.#parts.store.head(tenant);
    if (seq === 0) return NO_HEAD;
    const [last] = await this.read(tenant, seq - 1, 1);
    if (last === undefined || last.mac !== mac) throw broken(tenant, seq);
    return { seq, mac };
  }

  tenants(): Promise<readonly TenantId[]> {
    return this.#parts.store.tenants();
  }

  key(tenant: TenantId): Promise<LedgerKey> {
    return this.#key(tenant);
  }

  /** INVARIANT: never makes a key beside lines that another one chained. */
  async #key(tenant: TenantId): Promise<ChainKey> {
    const { store, findKey, makeKey } = this.#parts;
    const found = await findKey(tenant);
    if (found !== null) return found;
    const { seq } = await store.head(tenant);
    if (seq === 0) return makeKey(tenant);
    // Another process may have made it since, with the first line.
    const made = await findKey(tenant);
    if (made !== null) return made;
    throw new MunimentError(
      "unavailable",
      `the custody lacks the ledger key of tenant ${tenant}: restore the custody from a backup`,
    );
  }

  #lines(tenant: TenantId, seq: number, limit: number): Promise<readonly StoredLine[]> {
    return this.#parts.store.read(tenant, seq, limit);
  }

  #chain(
    key: ChainKey,
    tenant: TenantId,
    head: LedgerHead,
    texts: readonly string[],
  ): readonly StoredLine[] {
    const lines: StoredLine[] = [];
    for (const text of texts) {
      const { seq, mac } = lines.at(-1) ?? head;
      lines.push({ seq: seq + 1, text, mac: this.#mac(key, tenant, seq + 1, mac, text) });
    }
    return lines;
  }

  async #verified(
    tenant: TenantId,
    anchor: LedgerHead,
    lines: readonly StoredLine[],
  ): Promise<readonly LedgerEntry[]> {
    if (lines.length === 0) return [];
    const key = await this.#key(tenant);
    let { seq, mac } = anchor;
    return lines.map((line) => {
      const expected = this.#mac(key, tenant, seq + 1, mac, line.text);
      if (line.seq !== seq + 1 || line.mac !== expected) throw broken(tenant, seq + 1);
      ({ seq, mac } = line);
      return entryOf(tenant, line);
    });
  }

  #mac(key: ChainKey, tenant: TenantId, seq: number, previous: string, text: string): string {
    return key.chain(JSON.stringify([this.#parts.custodyId, tenant, seq, previous, text]));
  }
}

function broken(tenant: TenantId, seq: number): MunimentError {
  return new MunimentError(
    "unavailable",
    `the erasure ledger of tenant ${tenant} is broken at line ${seq}: restore the custody from a backup`,
  );
}
