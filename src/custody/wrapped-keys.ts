import { randomBytes } from "node:crypto";
import type { Clock } from "../domain/clock.js";
import type { KeyName } from "./cipher.js";
import { KEY_BYTES } from "./derive.js";
import type { KeyStore } from "./key-store.js";
import { isMasterOf, type MasterKey } from "./master-key.js";

/** Finds the master key of a check value: for a store whose master key others may change. */
export type LoadMaster = (check: Uint8Array) => Promise<MasterKey>;

/** Makes, wraps and unwraps data keys, under the master key that the custody has now. */
export class WrappedKeys {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #loadMaster: LoadMaster | null;
  #master: MasterKey;

  constructor(store: KeyStore, master: MasterKey, clock: Clock, loadMaster: LoadMaster | null) {
    this.#store = store;
    this.#master = master;
    this.#clock = clock;
    this.#loadMaster = loadMaster;
  }

  /** Makes a key unless one stands, and answers what stands. Null where a key of this name was destroyed. */
  async put(name: KeyName): Promise<Uint8Array | null> {
    const tried = this.#master;
    const stands = await this.#putOnce(name);
    return stands ?? ((await this.#followMaster(tried)) ? this.#putOnce(name) : null);
  }

  /** What `derive` makes of the data key, which is wiped behind it. */
  async unwrap<K>(name: KeyName, wrapped: Uint8Array, derive: (data: Uint8Array) => K): Promise<K> {
    const data = await this.#opened(name, wrapped);
    try {
      return derive(data);
    } finally {
      data.fill(0);
    }
  }

  /**
   * Puts what `change` makes of a data key in its place. Of two who do it at once both do it, one after the other. Nothing
   * where the key was destroyed.
   */
  async change(name: KeyName, change: (data: Uint8Array) => Uint8Array): Promise<void> {
    for (;;) {
      const before = await this.#store.get(name);
      if (before === null) return;
      const changed = await this.unwrap(name, before, change);
      const master = this.#master;
      const after = this.#wrap(master, name, changed);
      const check = master.checkValue(this.#store.custodyId);
      if (await this.#store.replace(name, before, after, check)) return;
      await this.#followMaster(master);
    }
  }

  #putOnce(name: KeyName): Promise<Uint8Array | null> {
    const wrapped = this.#wrap(this.#master, name, randomBytes(KEY_BYTES));
    const check = this.#master.checkValue(this.#store.custodyId);
    return this.#store.put(name, wrapped, this.#clock.now(), check);
  }

  /** Wipes `data`. */
  #wrap(master: MasterKey, name: KeyName, data: Uint8Array): Uint8Array {
    const wrapped = master.wrap(this.#store.custodyId, name, data);
    data.fill(0);
    return wrapped;
  }

  async #opened(name: KeyName, wrapped: Uint8Array): Promise<Buffer> {
    const { custodyId } = this.#store;
    const tried = this.#master;
    try {
      return tried.unwrap(custodyId, name, wrapped);
    } catch (error) {
      if (!(await this.#followMaster(tried))) throw error;
      return this.#master.unwrap(custodyId, name, wrapped);
    }
  }

  /** Takes over the custody's master key where another process has changed it: false where `tried` is still the one. */
  async #followMaster(tried: MasterKey): Promise<boolean> {
    if (this.#master !== tried) return true;
    if (this.#loadMaster === null) return false;
    const check = await this.#store.check();
    if (isMasterOf(tried, this.#store.custodyId, check)) return false;
    this.#master = await this.#loadMaster(check);
    return true;
  }
}
