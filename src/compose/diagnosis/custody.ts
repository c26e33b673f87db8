import type { Keyring } from "../../domain/keyring.js";
import type { Store } from "../../storage/store.js";
import { bad, type Check, good, looked } from "./check.js";

/** Whether the custody is there, opens under the master key, and is the one that sealed this database. Makes nothing. */
export function checkCustody(store: Store, openExisting: () => Promise<Keyring>): Promise<Check> {
  return looked("custody", async () => {
    const remembered = await store.directory.custody();
    if (remembered === null) return good("custody", "not made yet: the first start makes it");
    const keyring = await openExisting();
    try {
      return keyring.custodyId === remembered
        ? good("custody", "it opens under the master key, and sealed this database")
        : bad("custody", "this custody didn't seal this database: bring back the one that did");
    } finally {
      await keyring.close();
    }
  });
}
