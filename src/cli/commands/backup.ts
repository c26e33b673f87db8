import { Command } from "commander";
import type { BackupReport } from "../../compose/backup.js";
import { counted } from "../counted.js";
import type { Io } from "../io.js";
import { type PlaceOptions, placeOf, withPlace } from "../options.js";
import { timeOf } from "../time.js";

const BACKUP_MORE = `
The embedded database is copied while no service holds its data directory; a
PostgreSQL server, with
the owner's login (MUNIMENT_MIGRATE_URL), while others go on. Keys are custody's and aren't in it:
muniment custody backup.`;

const RESTORE_MORE = `
Into a data directory without a database, or into an empty PostgreSQL database
with the owner's login (MUNIMENT_MIGRATE_URL). It is compared with the backup
before it counts. The next start needs the custody of this database, and
erases again what was erased since.`;

export function backupCommand(io: Io): Command {
  return withPlace(
    new Command("backup")
      .description("write the database into a new directory")
      .argument("<dir>", "directory to make"),
  )
    .addHelpText("after", BACKUP_MORE)
    .action(async (dir: string, options: PlaceOptions) => {
      const { backupDatabase } = await import("../../compose/backup.js");
      say(io, options, "written", await backupDatabase(placeOf(options), dir));
    });
}

export function restoreCommand(io: Io): Command {
  return withPlace(
    new Command("restore")
      .description("make a database from a backup")
      .argument("<dir>", "directory of the backup"),
  )
    .addHelpText("after", RESTORE_MORE)
    .action(async (dir: string, options: PlaceOptions) => {
      const { restoreDatabase } = await import("../../compose/backup.js");
      say(io, options, "restored", await restoreDatabase(placeOf(options), dir));
      if (!options.json) io.err("the next start erases again what was erased since, and says so");
    });
}

function say(io: Io, { json }: PlaceOptions, done: string, report: BackupReport): void {
  const { tables, rows, made_at } = report;
  if (json) io.out(JSON.stringify(report));
  else
    io.out(
      `${done}: ${counted(rows, "row")} of ${counted(tables, "table")}, as of ${timeOf(made_at)}`,
    );
}
