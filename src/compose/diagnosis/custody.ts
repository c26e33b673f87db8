import type { Settings } from "../../config/settings.js";
import type { Keyring } from "../../domain/keyring.js";
import type { Store } from "../../storage/store.js";
import { refuseOlderCustody } from "../ledger-head.js";
import { bad, type Check, good, looked } from "./check.js";

/**
 * Whether the custody is there, opens under the master key, is the one that sealed this database, and isn't older than the
 * head that the settings name. Makes nothing.
 */
export function checkCustody(
  store: Store,
  settings: Settings,
  openExisting: () => Promise<Keyring>,
): Promise<Check> {
  return looked("custody", async () => {
    const remembered = await store.directory.custody();
    if (remembered === null) return good("custody", "not made yet: the first start makes it");
    const keyring = await openExisting();
    try {
      if (keyring.custodyId !== remembered)
        return bad(
          "custody",
          "this custody didn't seal this database: bring back the one that did",
        );
      await refuseOlderCustody(keyring, settings);
      return good("custody", "it opens under the master key, and sealed this database");
    } finally {
      await keyring.close();
    }
  });
}
