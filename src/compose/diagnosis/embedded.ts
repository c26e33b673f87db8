import { join } from "node:path";
import type { Settings } from "../../config/settings.js";
import { openFileCustody } from "../../custody/drivers/file.js";
import type { Clock } from "../../domain/clock.js";
import {
  DirectoryHeldError,
  type DirectoryLock,
  lockDirectory,
} from "../../storage/drivers/directory-lock.js";
import { openPglite } from "../../storage/drivers/pglite.js";
import { MigrationError, readMigrations } from "../../storage/migrate.js";
import { masterKeyOf } from "../database.js";
import { hasDatabase } from "../nothing-at.js";
import { checkCatalogue } from "./catalogue.js";
import { bad, type Check, type CheckName, DATABASE_CHECKS, good, messageOf } from "./check.js";
import { checkCustody } from "./custody.js";

const READY_MS_MAX = 5_000;

/** The embedded database: asked of the service that holds it, else opened here. */
export async function checkEmbedded(settings: Settings, clock: Clock): Promise<readonly Check[]> {
  if (!hasDatabase(settings.dataDir)) return nothingYet(settings.dataDir);
  let lock: DirectoryLock;
  try {
    lock = await lockDirectory(settings.dataDir);
  } catch (error) {
    return error instanceof DirectoryHeldError
      ? heldByAnother(error)
      : [bad("lock", messageOf(error))];
  }
  try {
    return [
      good("lock", "free, and taken for this look"),
      ...(await checkOpen(settings, lock, clock)),
    ];
  } finally {
    await lock.release();
  }
}

function nothingYet(dataDir: string): readonly Check[] {
  const detail = `nothing at ${dataDir} yet: muniment serve makes it`;
  return (["lock", ...DATABASE_CHECKS] as const).map((name) => good(name, detail));
}

async function checkOpen(
  settings: Settings,
  lock: DirectoryLock,
  clock: Clock,
): Promise<readonly Check[]> {
  try {
    const store = await openPglite({ data: lock, clock, onAlarm: () => undefined });
    try {
      const migrations = readMigrations().length;
      return [
        good("database", `embedded, at ${join(lock.dir, "db")}`),
        good("migrations", `all ${migrations} applied`),
        ...(await checkCatalogue(store)),
        await checkCustody(store, settings, () =>
          openFileCustody({
            dir: join(lock.dir, "custody"),
            masterKey: masterKeyOf(settings),
            clock,
            expect: "existing",
          }),
        ),
      ];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [bad(error instanceof MigrationError ? "migrations" : "database", messageOf(error))];
  }
}

/** What the holder looked at before it served, and what it says of itself now. */
async function heldByAnother(held: DirectoryHeldError): Promise<readonly Check[]> {
  const { url } = held;
  if (url === null)
    return [bad("lock", `${held.message} (it serves nobody: is it at work, or stuck?)`)];
  const ready = await askReady(url);
  const lock = good("lock", `held by process ${held.pid}, which serves ${url}`);
  if (ready === null) return [lock, bad("database", `the service at ${url} doesn't answer`)];
  const said = (name: CheckName): Check => {
    const own = ready.get(name);
    // The rest was looked at before it served: it doesn't serve otherwise.
    const ok = own ?? ready.get("database") ?? false;
    const when = own === undefined ? "when it started" : "now";
    return {
      name,
      ok,
      detail: `${ok ? "sound" : "not sound"} ${when}, says the service at ${url}`,
    };
  };
  return [lock, ...DATABASE_CHECKS.map(said)];
}

/** Checks of `/ready` by name, or null where it doesn't answer as it should. */
async function askReady(url: string): Promise<ReadonlyMap<string, boolean> | null> {
  try {
    const reply = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(READY_MS_MAX) });
    const { checks } = (await reply.json()) as {
      readonly checks: readonly { readonly name: string; readonly ok: boolean }[];
    };
    return new Map(checks.map(({ name, ok }) => [name, ok]));
  } catch {
    return null;
  }
}
