import { join } from "node:path";
import { isLoopback, type Settings } from "../config/settings.js";
import { openFileCustody } from "../custody/drivers/file.js";
import { openPostgresCustody } from "../custody/drivers/postgres.js";
import type { MasterKeySource } from "../custody/master-key-source.js";
import { MunimentError } from "../domain/errors.js";
import type { Keyring } from "../domain/keyring.js";
import { type DirectoryLock, lockDirectory } from "../storage/drivers/directory-lock.js";
import { openPglite } from "../storage/drivers/pglite.js";
import type { StoreOptions } from "../storage/drivers/pooled-store.js";
import { openPostgres } from "../storage/drivers/postgres.js";
import { migratePostgres } from "../storage/drivers/postgres-migrate.js";
import type { Store } from "../storage/store.js";

export interface OpenDatabase {
  readonly store: Store;
  readonly keyring: Keyring;
  /** Held while the embedded database is open; null on a server. */
  readonly lock: DirectoryLock | null;
  /** What the operator should know: settings that are fine for a test and not for a deployment. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/** Opens database and custody together: a sealed database never serves without the custody that sealed it. */
export async function openDatabase(
  settings: Settings,
  options: StoreOptions,
): Promise<OpenDatabase> {
  const opened =
    settings.databaseUrl === undefined
      ? await openEmbedded(settings, options)
      : await openServer(settings, settings.databaseUrl, options);
  try {
    const findings = await opened.store.selfCheck();
    if (findings.length > 0)
      throw new MunimentError(
        "unavailable",
        `the database isn't safe to serve: ${findings.join("; ")}`,
      );
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function openEmbedded(settings: Settings, options: StoreOptions): Promise<OpenDatabase> {
  const lock = await lockDirectory(settings.dataDir);
  const opened: { close(): Promise<void> }[] = [{ close: () => lock.release() }];
  try {
    const store = await openPglite({ ...options, data: lock });
    opened.push(store);
    const keyring = await openOwnCustody(store, (expect) =>
      openFileCustody({
        dir: join(lock.dir, "custody"),
        masterKey: masterKeyOf(settings),
        clock: options.clock,
        expect,
      }),
    );
    opened.push(keyring);
    return { store, keyring, lock, warnings: [], close: () => closeAll(opened) };
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

async function openServer(
  settings: Settings,
  url: string,
  options: StoreOptions,
): Promise<OpenDatabase> {
  const migrateUrl = settings.migrateUrl ?? url;
  const custodyUrl = settings.custodyUrl ?? migrateUrl;
  const warnings = serverWarnings(settings, url);
  await migratePostgres(migrateUrl, options.clock);
  const store = openPostgres({ ...options, url, poolMax: settings.poolConnections });
  const opened: { close(): Promise<void> }[] = [store];
  try {
    const keyring = await openOwnCustody(store, (expect) =>
      openPostgresCustody({
        url: custodyUrl,
        masterKey: masterKeyOf(settings),
        clock: options.clock,
        expect,
      }),
    );
    opened.push(keyring);
    return { store, keyring, lock: null, warnings, close: () => closeAll(opened) };
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

export function serverWarnings(settings: Settings, url: string): readonly string[] {
  const local = isLoopback(new URL(url).hostname);
  const warnings: string[] = [];
  if (settings.migrateUrl === undefined)
    warnings.push("one login for serving and migrating: set MUNIMENT_MIGRATE_URL to the owner's");
  if (settings.custodyUrl === undefined)
    warnings.push("custody is in the same database: set MUNIMENT_CUSTODY_URL to another one");
  if (!local && warnings.length > 0)
    throw new MunimentError("unavailable", `not on this machine alone: ${warnings.join("; ")}`);
  return warnings;
}

/** A database that remembers a custody opens with that one and no other, and new keys are never made for it. */
async function openOwnCustody(
  store: Store,
  open: (expect: "existing" | "new-or-existing") => Promise<Keyring>,
): Promise<Keyring> {
  const remembered = await store.directory.custody();
  const keyring = await open(remembered === null ? "new-or-existing" : "existing");
  const owner = remembered ?? (await store.directory.rememberCustody(keyring.custodyId));
  if (owner === keyring.custodyId) return keyring;
  await keyring.close();
  throw new MunimentError(
    "unavailable",
    "this custody didn't seal this database: bring back the one that did",
  );
}

export function masterKeyOf({ masterKey, masterKeyFile }: Settings): MasterKeySource {
  return masterKey === undefined ? { file: masterKeyFile } : { value: masterKey };
}

async function closeAll(opened: readonly { close(): Promise<void> }[]): Promise<void> {
  for (const part of opened.toReversed()) await part.close();
}
