import { randomBytes } from "node:crypto";
import type { Clock } from "../domain/clock.js";
import { assert, MunimentError, must } from "../domain/errors.js";
import type { KeyId, SubjectId, TenantId } from "../domain/ids.js";
import type { Keyring, SubjectKey, TenantKey } from "../domain/keyring.js";
import type { Ledger } from "../domain/ledger.js";
import { KeyCache } from "./cache.js";
import type { KeyName } from "./cipher.js";
import { subjectKeyOf, tenantKeyName, tenantKeyOf } from "./cipher.js";
import { KEY_BYTES } from "./derive.js";
import type { KeyStore } from "./key-store.js";
import { nameText } from "./key-store.js";
import { CustodyLedger } from "./ledger.js";
import { type ChainKey, ledgerKeyName, ledgerKeyOf } from "./ledger-key.js";
import type { LedgerStore } from "./ledger-store.js";
import { isMasterOf, type MasterKey } from "./master-key.js";

/** What a driver opens: both stand in one place. */
export interface CustodyStores {
  readonly keys: KeyStore;
  readonly ledger: LedgerStore;
}

/** The keyring over any driver: makes, wraps and unwraps data keys, and keeps them a minute at most. */
export class CustodyKeyring implements Keyring {
  readonly custodyId: string;
  readonly ledger: Ledger;
  readonly #store: KeyStore;
  readonly #ledgerStore: LedgerStore;
  readonly #loadMaster: ((check: Uint8Array) => Promise<MasterKey>) | null;
  #master: MasterKey;
  readonly #clock: Clock;
  readonly #subjects: KeyCache<SubjectKey>;
  readonly #tenants: KeyCache<TenantKey>;
  readonly #ledgers: KeyCache<ChainKey>;
  #closing: Promise<void> | null = null;

  /** `loadMaster` finds the master key of a check value: for a store whose master key others may change. */
  constructor(
    { keys, ledger }: CustodyStores,
    master: MasterKey,
    clock: Clock,
    loadMaster: ((check: Uint8Array) => Promise<MasterKey>) | null = null,
  ) {
    this.custodyId = keys.custodyId;
    this.#store = keys;
    this.#ledgerStore = ledger;
    this.#master = master;
    this.#loadMaster = loadMaster;
    this.#clock = clock;
    this.#subjects = new KeyCache(clock);
    this.#tenants = new KeyCache(clock);
    this.#ledgers = new KeyCache(clock);
    this.ledger = new CustodyLedger({
      custodyId: this.custodyId,
      store: ledger,
      findKey: (tenant) => this.#ledgerKey(tenant, () => this.#store.get(ledgerKeyName(tenant))),
      makeKey: async (tenant) => {
        const key = await this.#ledgerKey(tenant, () => this.#put(ledgerKeyName(tenant)));
        return must(key, "the ledger key of a tenant");
      },
    });
  }

  async createSubjectKey(tenant: TenantId, subject: SubjectId, keyId: KeyId): Promise<SubjectKey> {
    this.#requireOpen();
    const name: KeyName = { tenant, subject, keyId };
    const key = await this.#subjects.get(nameText(name), async () => {
      const wrapped = await this.#put(name);
      return (
        wrapped && this.#unwrap(name, wrapped, (data) => subjectKeyOf(tenant, subject, keyId, data))
      );
    });
    assert(key !== null, "the id of a destroyed key is never used again");
    return key;
  }

  async subjectKey(tenant: TenantId, subject: SubjectId, keyId: KeyId): Promise<SubjectKey | null> {
    this.#requireOpen();
    const name: KeyName = { tenant, subject, keyId };
    return this.#subjects.get(nameText(name), async () => {
      const wrapped = await this.#store.get(name);
      return (
        wrapped && this.#unwrap(name, wrapped, (data) => subjectKeyOf(tenant, subject, keyId, data))
      );
    });
  }

  async destroySubjectKey(tenant: TenantId, subject: SubjectId, keyId: KeyId): Promise<void> {
    this.#requireOpen();
    const name: KeyName = { tenant, subject, keyId };
    try {
      await this.#store.destroy(name, this.#clock.now());
    } finally {
      // Also after a failure: it may have come after the store's commit.
      this.#subjects.forget(nameText(name));
    }
  }

  async createTenantKey(tenant: TenantId): Promise<TenantKey> {
    const name = tenantKeyName(tenant);
    const key = await this.#tenantKey(
      tenant,
      async () => (await this.#store.get(name)) ?? (await this.#put(name)),
    );
    assert(key !== null, "a tenant's key is never destroyed");
    return key;
  }

  async tenantKey(tenant: TenantId): Promise<TenantKey> {
    const key = await this.#tenantKey(tenant, () => this.#store.get(tenantKeyName(tenant)));
    if (key !== null) return key;
    throw new MunimentError(
      "unavailable",
      "the custody lacks the key of a tenant that the database knows: restore the custody from a backup",
    );
  }

  #tenantKey(tenant: TenantId, load: () => Promise<Uint8Array | null>): Promise<TenantKey | null> {
    this.#requireOpen();
    const name = tenantKeyName(tenant);
    return this.#tenants.get(nameText(name), async () => {
      const wrapped = await load();
      return wrapped && this.#unwrap(name, wrapped, (data) => tenantKeyOf(tenant, data));
    });
  }

  #ledgerKey(tenant: TenantId, load: () => Promise<Uint8Array | null>): Promise<ChainKey | null> {
    this.#requireOpen();
    const name = ledgerKeyName(tenant);
    return this.#ledgers.get(nameText(name), async () => {
      const wrapped = await load();
      return wrapped && this.#unwrap(name, wrapped, ledgerKeyOf);
    });
  }

  isEmpty(): Promise<boolean> {
    this.#requireOpen();
    return this.#store.isEmpty();
  }

  close(): Promise<void> {
    for (const cache of [this.#subjects, this.#tenants, this.#ledgers]) cache.close();
    this.#closing ??= this.#ledgerStore.close().then(() => this.#store.close());
    return this.#closing;
  }

  /** Null where a key of this name was destroyed. */
  async #put(name: KeyName): Promise<Uint8Array | null> {
    const tried = this.#master;
    const stands = await this.#putOnce(name);
    return stands ?? ((await this.#followMaster(tried)) ? this.#putOnce(name) : null);
  }

  #putOnce(name: KeyName): Promise<Uint8Array | null> {
    const data = randomBytes(KEY_BYTES);
    const wrapped = this.#master.wrap(this.custodyId, name, data);
    data.fill(0);
    const check = this.#master.checkValue(this.custodyId);
    return this.#store.put(name, wrapped, this.#clock.now(), check);
  }

  async #unwrap<K>(
    name: KeyName,
    wrapped: Uint8Array,
    derive: (data: Uint8Array) => K,
  ): Promise<K> {
    const data = await this.#opened(name, wrapped);
    try {
      return derive(data);
    } finally {
      data.fill(0);
    }
  }

  async #opened(name: KeyName, wrapped: Uint8Array): Promise<Buffer> {
    const tried = this.#master;
    try {
      return tried.unwrap(this.custodyId, name, wrapped);
    } catch (error) {
      if (!(await this.#followMaster(tried))) throw error;
      return this.#master.unwrap(this.custodyId, name, wrapped);
    }
  }

  /** Takes over the custody's master key where another process has changed it: false where `tried` is still the one. */
  async #followMaster(tried: MasterKey): Promise<boolean> {
    if (this.#master !== tried) return true;
    if (this.#loadMaster === null) return false;
    const check = await this.#store.check();
    if (isMasterOf(tried, this.custodyId, check)) return false;
    this.#master = await this.#loadMaster(check);
    return true;
  }

  #requireOpen(): void {
    if (this.#closing !== null) throw new MunimentError("unavailable", "the custody is closed");
  }
}
