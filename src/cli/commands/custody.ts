import { Command } from "commander";
import type { CustodyReport } from "../../compose/custody.js";
import { counted } from "../counted.js";
import { EXIT, Exit } from "../failure.js";
import type { Io } from "../io.js";
import { type PlaceOptions, placeOf, withPlace } from "../options.js";
import { shortId } from "../source.js";
import { table } from "../table.js";
import { timeOf } from "../time.js";

/** Loaded by a command that has what it needs. */
const custody = () => import("../../compose/custody.js");

export function custodyCommand(io: Io): Command {
  return new Command("custody")
    .description("keep the keys and the erasure ledger: heads, backups, a new master key")
    .addCommand(headCommand(io))
    .addCommand(verifyCommand(io))
    .addCommand(backupCommand(io))
    .addCommand(restoreCommand(io))
    .addCommand(rotateCommand(io));
}

function headCommand(io: Io): Command {
  return withPlace(
    new Command("head").description("where the ledger of each tenant ends; --json is what to keep"),
  ).action(async (options: PlaceOptions) => {
    const { custodyHeads } = await custody();
    const heads = await custodyHeads(placeOf(options));
    if (options.json) return io.out(JSON.stringify(heads));
    const rows = heads.tenants.map(({ tenant_id, seq, mac }) => [
      shortId(tenant_id),
      String(seq),
      mac.slice(-12),
    ]);
    io.out(table(["tenant", "line", "mac"], rows));
  });
}

function verifyCommand(io: Io): Command {
  return withPlace(
    new Command("verify")
      .description("say whether custody is at least as new as a head that was kept")
      .argument("<head-file>", "what `custody head --json` printed"),
  ).action(async (file: string, options: PlaceOptions) => {
    const { verifyCustody } = await custody();
    const verification = await verifyCustody(placeOf(options), file);
    const { ok, findings } = verification;
    if (options.json) {
      io.out(JSON.stringify(verification));
    } else {
      if (ok) io.out("the custody has all that this head has");
      for (const { tenant_id, finding } of findings) io.out(`FAIL tenant ${tenant_id}: ${finding}`);
    }
    if (!ok) throw new Exit(EXIT.failed);
  });
}

function backupCommand(io: Io): Command {
  return withPlace(
    new Command("backup")
      .description("write keys (wrapped) and ledger into a new file")
      .argument("<file>", "file to make"),
  ).action(async (file: string, options: PlaceOptions) => {
    const { backupCustody } = await custody();
    say(io, options, "written", await backupCustody(placeOf(options), file));
  });
}

interface RestoreOptions extends PlaceOptions {
  readonly acceptAge?: boolean;
}

function restoreCommand(io: Io): Command {
  return withPlace(
    new Command("restore")
      .description("make a custody from its backup, where there is none")
      .argument("<file>", "the backup")
      .option("--accept-age", "take one older than MUNIMENT_CUSTODY_BACKUP_DAYS"),
  ).action(async (file: string, { acceptAge = false, ...options }: RestoreOptions) => {
    const { restoreCustody } = await custody();
    say(io, options, "restored", await restoreCustody(placeOf(options), file, { acceptAge }));
  });
}

const ROTATE_MORE = `
The embedded custody is changed while no service runs. On PostgreSQL services
go on: those that share the master key's file find the new one there. Cut
short at any moment, it is simply run again.`;

function rotateCommand(io: Io): Command {
  return withPlace(new Command("rotate-master").description("wrap all keys under a new master key"))
    .addHelpText("after", ROTATE_MORE)
    .action(async (options: PlaceOptions) => {
      const { rotateMasterKey } = await custody();
      const rotation = await rotateMasterKey(placeOf(options));
      if (options.json) return io.out(JSON.stringify(rotation));
      io.out(
        `${counted(rotation.keys, "key")} wrapped under the new master key in ${rotation.file}`,
      );
      if (rotation.before !== null)
        io.out(
          `the one before is ${rotation.before}: keep it as long as custody backups of before`,
        );
    });
}

function say(io: Io, { json }: PlaceOptions, done: string, report: CustodyReport): void {
  const { keys, ledger_lines, taken_at } = report;
  if (json) io.out(JSON.stringify(report));
  else
    io.out(
      `${done}: ${counted(keys, "key")} and ${counted(ledger_lines, "ledger line")}, as of ${timeOf(taken_at)}`,
    );
}
