import { IntegrityError } from "../domain/keyring.js";
import type { OnAlarm } from "../storage/store.js";

/** Opens a sealed value, or reports that it isn't where it belongs and answers null. */
export function orAlarm<T>(onAlarm: OnAlarm, open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    onAlarm({ what: "sealed_value", table: error.place.table, detail: error.place.column });
    return null;
  }
}
