import { type Clock, hoursAfter } from "../domain/clock.js";
import { assert, MunimentError, must } from "../domain/errors.js";
import type { KeyId, SubjectId, TenantId } from "../domain/ids.js";
import type { KeyOfSubject, Keyring, SubjectKey, TenantKey } from "../domain/keyring.js";
import type { Ledger } from "../domain/ledger.js";
import { LIMITS } from "../domain/limits.js";
import { KeyCache } from "./cache.js";
import type { KeyName } from "./cipher.js";
import { subjectKeyOf, tenantKeyName, tenantKeyOf } from "./cipher.js";
import { ringSince, ringWithNext } from "./key-ring.js";
import type { KeyStore } from "./key-store.js";
import { nameText } from "./key-store.js";
import { CustodyLedger } from "./ledger.js";
import { type ChainKey, ledgerKeyName, ledgerKeyOf } from "./ledger-key.js";
import type { LedgerStore } from "./ledger-store.js";
import type { MasterKey } from "./master-key.js";
import { MetVersions } from "./met-versions.js";
import { type LoadMaster, WrappedKeys } from "./wrapped-keys.js";

/** What a driver opens: both stand in one place. */
export interface CustodyStores {
  readonly keys: KeyStore;
  readonly ledger: LedgerStore;
}

interface SubjectKeyName extends KeyName {
  readonly tenant: TenantId;
  readonly subject: SubjectId;
  readonly keyId: KeyId;
}

type RetiredKey = Parameters<Keyring["retireSubjectKey"]>;

/** The keyring over any driver: makes, wraps and unwraps data keys, and keeps them a minute at most. */
export class CustodyKeyring implements Keyring {
  readonly custodyId: string;
  readonly ledger: Ledger;
  readonly #store: KeyStore;
  readonly #ledgerStore: LedgerStore;
  readonly #wrapped: WrappedKeys;
  readonly #clock: Clock;
  readonly #subjects: KeyCache<SubjectKey>;
  readonly #met = new MetVersions();
  readonly #tenants: KeyCache<TenantKey>;
  readonly #ledgers: KeyCache<ChainKey>;
  #closing: Promise<void> | null = null;

  constructor(
    { keys, ledger }: CustodyStores,
    master: MasterKey,
    clock: Clock,
    loadMaster: LoadMaster | null = null,
  ) {
    this.custodyId = keys.custodyId;
    this.#store = keys;
    this.#ledgerStore = ledger;
    this.#wrapped = new WrappedKeys(keys, master, clock, loadMaster);
    this.#clock = clock;
    this.#subjects = new KeyCache(clock);
    this.#tenants = new KeyCache(clock);
    this.#ledgers = new KeyCache(clock);
    this.ledger = new CustodyLedger({
      custodyId: this.custodyId,
      store: ledger,
      findKey: (tenant) => this.#ledgerKey(tenant, () => this.#store.get(ledgerKeyName(tenant))),
      makeKey: async (tenant) => {
        const key = await this.#ledgerKey(tenant, () => this.#wrapped.put(ledgerKeyName(tenant)));
        return must(key, "the ledger key of a tenant");
      },
    });
  }

  async createSubjectKey(tenant: TenantId, subject: SubjectId, keyId: KeyId): Promise<SubjectKey> {
    this.#requireOpen();
    const name = { tenant, subject, keyId };
    const key = await this.#subjects.get(nameText(name), async () => {
      const wrapped = await this.#wrapped.put(name);
      return wrapped && this.#subjectKey(name, wrapped);
    });
    assert(key !== null, "the id of a destroyed key is never used again");
    return key;
  }

  async subjectKey(tenant: TenantId, subject: SubjectId, keyId: KeyId): Promise<SubjectKey | null> {
    this.#requireOpen();
    const name = { tenant, subject, keyId };
    return this.#subjects.get(nameText(name), async () => {
      const wrapped = await this.#store.get(name);
      return wrapped && this.#subjectKey(name, wrapped);
    });
  }

  async rotateSubjectKey(
    tenant: TenantId,
    subject: SubjectId,
    keyId: KeyId,
  ): Promise<SubjectKey | null> {
    await this.#change({ tenant, subject, keyId }, (data) => {
      const next = ringWithNext(data);
      if (next !== null) return next;
      throw new MunimentError(
        "version_conflict",
        `the key was changed too often of late: ${LIMITS.keyVersionsMax} versions are kept, wait until the older ones are destroyed`,
      );
    });
    return await this.subjectKey(tenant, subject, keyId);
  }

  async retireSubjectKey(...[tenant, subject, keyId, version]: RetiredKey): Promise<void> {
    await this.#change({ tenant, subject, keyId }, (data) => ringSince(data, version));
  }

  refreshSubjectKey(name: KeyOfSubject, met: number | null = null): void {
    const text = nameText(name);
    this.#subjects.forget(text);
    if (met !== null) this.#met.add(text, met);
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
      async () => (await this.#store.get(name)) ?? (await this.#wrapped.put(name)),
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
      return wrapped && this.#wrapped.unwrap(name, wrapped, (data) => tenantKeyOf(tenant, data));
    });
  }

  #ledgerKey(tenant: TenantId, load: () => Promise<Uint8Array | null>): Promise<ChainKey | null> {
    this.#requireOpen();
    const name = ledgerKeyName(tenant);
    return this.#ledgers.get(nameText(name), async () => {
      const wrapped = await load();
      return wrapped && this.#wrapped.unwrap(name, wrapped, ledgerKeyOf);
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

  #subjectKey(name: SubjectKeyName, wrapped: Uint8Array): Promise<SubjectKey> {
    const { tenant, subject, keyId } = name;
    const oldAt = hoursAfter(this.#clock.now(), LIMITS.keySealHoursMax);
    const isTooOld = () => this.#clock.now() >= oldAt;
    const taken = { isTooOld, met: this.#met.of(nameText(name)) };
    return this.#wrapped.unwrap(name, wrapped, (data) =>
      subjectKeyOf(tenant, subject, keyId, data, taken),
    );
  }

  async #change(name: KeyName, change: (data: Uint8Array) => Uint8Array): Promise<void> {
    this.#requireOpen();
    try {
      await this.#wrapped.change(name, change);
    } finally {
      this.#subjects.forget(nameText(name));
    }
  }

  #requireOpen(): void {
    if (this.#closing !== null) throw new MunimentError("unavailable", "the custody is closed");
  }
}
