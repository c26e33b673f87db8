import type { Readiness } from "../http/health.js";
import type { OpenDatabase } from "./database.js";

/**
 * Migrations and the catalogue were checked before anything was served; these two can be lost later. Without its custody a
 * service opens no key that it hasn't in memory, and makes none.
 */
export async function readinessOf({ store, keyring }: OpenDatabase): Promise<Readiness> {
  const custody = await store.directory.custody();
  const answers = await keyring.isEmpty().then(
    () => true,
    () => false,
  );
  const ok = answers && custody === keyring.custodyId;
  return {
    ok,
    checks: [
      { name: "database", ok: true },
      { name: "custody", ok },
    ],
  };
}
