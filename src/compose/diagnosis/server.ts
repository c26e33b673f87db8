import pg from "pg";
import type { Settings } from "../../config/settings.js";
import { openPostgresCustody } from "../../custody/drivers/postgres.js";
import type { Clock } from "../../domain/clock.js";
import { LIMITS } from "../../domain/limits.js";
import { openPostgres } from "../../storage/drivers/postgres.js";
import { readLoginWarnings } from "../../storage/drivers/postgres-roles.js";
import { migrationFindings } from "../../storage/migrate.js";
import { masterKeyOf, serverWarnings } from "../database.js";
import {
  custodyPlace,
  databasePlace,
  ownerPlace,
  reach,
  type ServerPlace,
} from "../server-place.js";
import { checkCatalogue } from "./catalogue.js";
import { bad, type Check, good, looked, messageOf } from "./check.js";
import { checkCustody } from "./custody.js";

/** Oldest server that is supported, as `server_version_num` says it. */
const VERSION_MIN = 150_000;

export interface ServerDiagnosis {
  readonly checks: readonly Check[];
  readonly warnings: readonly string[];
}

/** A PostgreSQL server. Changes nothing in it: what isn't migrated stays so. */
export async function checkServer(
  settings: Settings,
  url: string,
  clock: Clock,
): Promise<ServerDiagnosis> {
  const lock = good("lock", "not needed: PostgreSQL serves several processes");
  const database = await checkDatabase(databasePlace(url));
  if (!database.ok) return { checks: [lock, database], warnings: [] };
  const migrations = await checkMigrations(ownerPlace(settings.migrateUrl, url));
  const settled = settingsWarnings(settings, url);
  if (!migrations.ok) return { checks: [lock, database, migrations], warnings: settled.warnings };
  const store = openPostgres({ url, poolMax: 1, clock, onAlarm: () => undefined });
  try {
    const custody = custodyPlace(settings, url);
    const masterKey = masterKeyOf(settings);
    const checks = [
      lock,
      database,
      migrations,
      ...settled.findings,
      ...(await checkCatalogue(store)),
      await checkCustody(store, settings, () =>
        reach(custody, () =>
          openPostgresCustody({ url: custody.url, masterKey, clock, expect: "existing" }),
        ),
      ),
    ];
    return { checks, warnings: [...settled.warnings, ...(await readLoginWarnings(url))] };
  } finally {
    await store.close();
  }
}

async function withClient<R>(
  place: ServerPlace,
  use: (client: pg.Client) => Promise<R>,
): Promise<R> {
  const client = new pg.Client({
    connectionString: place.url,
    connectionTimeoutMillis: LIMITS.connectionWaitMsMax,
    application_name: "muniment doctor",
  });
  await reach(place, () => client.connect());
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function checkDatabase(place: ServerPlace): Promise<Check> {
  return looked("database", () =>
    withClient(place, async (client) => {
      const text = "select current_setting('server_version_num')::int as version";
      const { rows } = await client.query<{ readonly version: number }>(text);
      const version = rows[0]?.version ?? 0;
      const named = `PostgreSQL ${Math.floor(version / 10_000)}`;
      return version < VERSION_MIN
        ? bad("database", `${named} is too old: 15 or newer is needed`)
        : good("database", `${named} answers`);
    }),
  );
}

function checkMigrations(place: ServerPlace): Promise<Check> {
  return looked("migrations", () =>
    withClient(place, async (client) => {
      const isOwner = place.variable === "MUNIMENT_MIGRATE_URL";
      const { rows: tables } = await client.query<{ readonly present: boolean }>(
        "select to_regclass('muniment.migration') is not null as present",
      );
      // The service's own login may read it in its role alone, the owner without one.
      if (tables[0]?.present && !isOwner) await client.query("set role muniment_app");
      const applied = "select number, sha256 from muniment.migration order by number";
      const { rows } = tables[0]?.present
        ? await client.query<Record<string, unknown>>(applied)
        : { rows: [] };
      const [first, ...more] = migrationFindings(rows);
      if (first === undefined) return good("migrations", `all ${rows.length} applied`);
      return bad("migrations", more.length === 0 ? first : `${first} (and ${more.length} more)`);
    }),
  );
}

function settingsWarnings(settings: Settings, url: string) {
  try {
    return { warnings: serverWarnings(settings, url), findings: [] };
  } catch (error) {
    return { warnings: [], findings: [bad("roles", messageOf(error))] };
  }
}
