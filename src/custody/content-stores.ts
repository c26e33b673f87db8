import { MunimentError } from "../domain/errors.js";
import { type TenantId, trustedId } from "../domain/ids.js";
import { type LedgerHead, NO_HEAD } from "../domain/ledger.js";
import type { KeyName } from "./cipher.js";
import type { CustodyContent, TenantLine } from "./content.js";
import { type KeyStore, nameText } from "./key-store.js";
import type { CustodyStores } from "./keyring.js";
import type { LedgerStore, StoredLine } from "./ledger-store.js";

function refuse(): never {
  throw new MunimentError("internal", "a copy of a custody is only read");
}

class ContentKeyStore implements KeyStore {
  readonly custodyId: string;
  readonly #check: Uint8Array;
  readonly #keys: ReadonlyMap<string, Uint8Array | null>;

  constructor({ custodyId, check, keys }: CustodyContent) {
    this.custodyId = custodyId;
    this.#check = check;
    this.#keys = new Map(keys.map((key) => [nameText(key), key.wrapped]));
  }

  async put(): Promise<Uint8Array | null> {
    return refuse();
  }

  async replace(): Promise<boolean> {
    return refuse();
  }

  async get(name: KeyName): Promise<Uint8Array | null> {
    return this.#keys.get(nameText(name)) ?? null;
  }

  async destroy(): Promise<void> {
    refuse();
  }

  async isEmpty(): Promise<boolean> {
    return this.#keys.size === 0;
  }

  async check(): Promise<Uint8Array> {
    return this.#check;
  }

  async close(): Promise<void> {
    // Nothing is open.
  }
}

class ContentLedgerStore implements LedgerStore {
  readonly #lines = new Map<string, TenantLine[]>();

  constructor({ lines }: CustodyContent) {
    for (const line of lines) {
      const before = this.#lines.get(line.tenant);
      if (before === undefined) this.#lines.set(line.tenant, [line]);
      else before.push(line);
    }
  }

  async append(): Promise<void> {
    refuse();
  }

  async read(tenant: TenantId, seq: number, limit: number): Promise<readonly StoredLine[]> {
    const lines = this.#lines.get(tenant) ?? [];
    return lines.slice(seq - 1, seq - 1 + limit);
  }

  async head(tenant: TenantId): Promise<LedgerHead> {
    return this.#lines.get(tenant)?.at(-1) ?? NO_HEAD;
  }

  async tenants(): Promise<readonly TenantId[]> {
    return [...this.#lines.keys()].sort().map((tenant) => trustedId<"TenantId">(tenant));
  }

  async close(): Promise<void> {
    // Nothing is open.
  }
}

/** Stores over a copy of a custody, to be read. */
export function contentStores(content: CustodyContent): CustodyStores {
  return { keys: new ContentKeyStore(content), ledger: new ContentLedgerStore(content) };
}
