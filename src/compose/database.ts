import { existsSync } from "node:fs";
import { join } from "node:path";
import { isLoopback, type Settings } from "../config/settings.js";
import { openFileCustody, pathsOf } from "../custody/drivers/file.js";
import { openPostgresCustody } from "../custody/drivers/postgres.js";
import type { MasterKeySource } from "../custody/master-key-source.js";
import type { Clock } from "../domain/clock.js";
import { MunimentError } from "../domain/errors.js";
import type { Keyring } from "../domain/keyring.js";
import { type DirectoryLock, lockDirectory } from "../storage/drivers/directory-lock.js";
import { openPglite } from "../storage/drivers/pglite.js";
import type { StoreOptions } from "../storage/drivers/pooled-store.js";
import { openPostgres } from "../storage/drivers/postgres.js";
import { migratePostgres } from "../storage/drivers/postgres-migrate.js";
import { readLoginWarnings } from "../storage/drivers/postgres-roles.js";
import type { Store } from "../storage/store.js";
import { refuseOlderCustody } from "./ledger-head.js";
import { hasDatabase } from "./nothing-at.js";
import { custodyPlace, databasePlace, ownerPlace, reach } from "./server-place.js";

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
  return settings.databaseUrl === undefined
    ? await openEmbedded(settings, options)
    : await openServer(settings, settings.databaseUrl, options);
}

/** The catalogue and the migrations are what this version needs, or nothing is opened. */
async function refuseUnsafe(store: Store): Promise<void> {
  const findings = await store.selfCheck();
  if (findings.length === 0) return;
  throw new MunimentError(
    "unavailable",
    `the database isn't safe to serve: ${findings.join("; ")}`,
  );
}

async function openEmbedded(settings: Settings, options: StoreOptions): Promise<OpenDatabase> {
  const lock = await lockDirectory(settings.dataDir);
  const opened: { close(): Promise<void> }[] = [{ close: () => lock.release() }];
  try {
    const custodyDir = join(lock.dir, "custody");
    // Before a database is made there: a backup is restored where none is.
    if (!hasDatabase(lock.dir) && existsSync(pathsOf(custodyDir).keys)) throw withoutDatabase();
    const store = await openPglite({ ...options, data: lock });
    opened.push(store);
    await refuseUnsafe(store);
    const keyring = await openOwnCustody(store, (expect) =>
      openFileCustody({
        dir: custodyDir,
        masterKey: masterKeyOf(settings),
        clock: options.clock,
        expect,
      }),
    );
    opened.push(keyring);
    await refuseOlderCustody(keyring, settings);
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
  const custody = custodyPlace(settings, url);
  const warnings = [
    ...serverWarnings(settings, url),
    ...(await migrateOrCompare(settings, url, options)),
  ];
  const store = openPostgres({ ...options, url, poolMax: settings.poolConnections });
  const opened: { close(): Promise<void> }[] = [store];
  try {
    await refuseUnsafe(store);
    const keyring = await openOwnCustody(store, (expect) =>
      reach(custody, () =>
        openPostgresCustody({
          url: custody.url,
          masterKey: masterKeyOf(settings),
          clock: options.clock,
          expect,
        }),
      ),
    );
    opened.push(keyring);
    await refuseOlderCustody(keyring, settings);
    return { store, keyring, lock: null, warnings, close: () => closeAll(opened) };
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

export function serverWarnings(settings: Settings, url: string): readonly string[] {
  if (settings.custodyUrl !== undefined) return [];
  const warning = "custody is in the same database: set MUNIMENT_CUSTODY_URL to another one";
  return refuseBeyondLoopback(url, [warning]);
}

/** What is fine for a test on this machine and not for a deployment. */
function refuseBeyondLoopback(url: string, warnings: readonly string[]): readonly string[] {
  if (warnings.length === 0 || isLoopback(new URL(url).hostname)) return warnings;
  throw new MunimentError("unavailable", `not on this machine alone: ${warnings.join("; ")}`);
}

/**
 * Migrates where the owner's login is given. Without one the service's own login migrates on loopback, if it may; else
 * the database is only compared, and `muniment upgrade` is somebody else's.
 */
async function migrateOrCompare(
  { migrateUrl }: Settings,
  url: string,
  { clock }: StoreOptions,
): Promise<readonly string[]> {
  if (migrateUrl !== undefined) {
    const owner = ownerPlace(migrateUrl, url);
    await reach(owner, () => migratePostgres(owner.url, clock));
  }
  const warnings = await reach(databasePlace(url), async () => {
    if (migrateUrl === undefined && isLoopback(new URL(url).hostname)) {
      await migrateIfAllowed(url, clock);
    }
    return readLoginWarnings(url);
  });
  return refuseBeyondLoopback(url, warnings);
}

const INSUFFICIENT_PRIVILEGE = "42501";

async function migrateIfAllowed(url: string, clock: Clock): Promise<void> {
  try {
    await migratePostgres(url, clock);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code !== INSUFFICIENT_PRIVILEGE) throw error;
  }
}

/**
 * A database that remembers a custody opens with that one and no other, and new keys are never made for it. A new database
 * opens with a new custody: beside one that holds keys it stands in the place of the database that they are of.
 */
async function openOwnCustody(
  store: Store,
  open: (expect: "existing" | "new-or-existing") => Promise<Keyring>,
): Promise<Keyring> {
  const remembered = await store.directory.custody();
  const keyring = await open(remembered === null ? "new-or-existing" : "existing");
  const isLeft = remembered === null && !(await keyring.isEmpty());
  // Looks again: another process may have started on the same two, and made the keys.
  if (isLeft && (await store.directory.custody()) === null) {
    await keyring.close();
    throw withoutDatabase();
  }
  const owner = remembered ?? (await store.directory.rememberCustody(keyring.custodyId));
  if (owner === keyring.custodyId) return keyring;
  await keyring.close();
  throw new MunimentError(
    "unavailable",
    "this custody didn't seal this database: bring back the one that did",
  );
}

function withoutDatabase(): MunimentError {
  return new MunimentError(
    "unavailable",
    "the custody is there, and the database that its keys are of is not",
    {
      nextStep:
        "bring that database back: muniment restore; or move the custody away to begin without what it has sealed",
    },
  );
}

export function masterKeyOf({ masterKey, masterKeyFile }: Settings): MasterKeySource {
  return masterKey === undefined ? { file: masterKeyFile } : { value: masterKey };
}

async function closeAll(opened: readonly { close(): Promise<void> }[]): Promise<void> {
  for (const part of opened.toReversed()) await part.close();
}
