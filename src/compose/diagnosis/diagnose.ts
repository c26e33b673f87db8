import { readSettings, type SettingsInput } from "../../config/settings.js";
import { SYSTEM_CLOCK } from "../system-clock.js";
import { type Diagnosis, inOrder } from "./check.js";
import { checkDisk } from "./disk.js";
import { checkEmbedded } from "./embedded.js";
import { readFigures } from "./figures.js";
import { checkIssuers } from "./issuers.js";
import { checkModel } from "./model.js";
import { checkServer } from "./server.js";

/** Looks whether this installation can serve. Makes nothing; an embedded database is migrated, as each opening does. */
export async function diagnose(given: SettingsInput): Promise<Diagnosis> {
  const settings = readSettings(given, process.env);
  const disk = await checkDisk(settings.dataDir);
  const { databaseUrl } = settings;
  const { checks, warnings } =
    databaseUrl === undefined
      ? { checks: await checkEmbedded(settings, SYSTEM_CLOCK), warnings: [] }
      : await checkServer(settings, databaseUrl, SYSTEM_CLOCK);
  const ordered = inOrder([
    disk,
    ...checks,
    await checkIssuers(settings),
    await checkModel(settings),
  ]);
  const own =
    settings.issuersFile === undefined
      ? ["development tokens are taken on loopback: set MUNIMENT_ISSUERS_FILE for real callers"]
      : [];
  return {
    ok: ordered.every(({ ok }) => ok),
    checks: ordered,
    warnings: [...warnings, ...own],
    figures: await readFigures(settings.metricsPort),
  };
}
