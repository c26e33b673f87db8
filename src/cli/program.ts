import { Command, Help, type Option } from "commander";
import { packageVersion } from "../compose/package-version.js";
import { assembleCommand } from "./commands/assemble.js";
import { backupCommand, restoreCommand } from "./commands/backup.js";
import { candidateCommand } from "./commands/candidate.js";
import { custodyCommand } from "./commands/custody.js";
import { demoCommand } from "./commands/demo.js";
import { devTokenCommand } from "./commands/dev-token.js";
import { diagnoseCommand } from "./commands/diagnose.js";
import { dimensionCommand } from "./commands/dimension.js";
import { doctorCommand } from "./commands/doctor.js";
import { eraseCommand } from "./commands/erase.js";
import { explainCommand } from "./commands/explain.js";
import { exportCommand } from "./commands/export.js";
import { fieldCommand } from "./commands/field.js";
import { findCommand } from "./commands/find.js";
import { freshnessCommand } from "./commands/freshness.js";
import { holdCommand } from "./commands/hold.js";
import { importCommand } from "./commands/import.js";
import { importArchiveCommand } from "./commands/import-archive.js";
import { importEventsCommand } from "./commands/import-events.js";
import { jobsCommand } from "./commands/jobs.js";
import { keyCommand } from "./commands/key.js";
import { migrateCommand } from "./commands/migrate.js";
import { observeCommand } from "./commands/observe.js";
import { recallCommand } from "./commands/recall.js";
import { routeCommand } from "./commands/route.js";
import { runCommand } from "./commands/run.js";
import { serveCommand } from "./commands/serve.js";
import { upgradeCommand } from "./commands/upgrade.js";
import { viewCommand } from "./commands/view.js";
import type { Io } from "./io.js";

const COMMANDS = [
  serveCommand,
  demoCommand,
  devTokenCommand,
  routeCommand,
  fieldCommand,
  candidateCommand,
  dimensionCommand,
  observeCommand,
  runCommand,
  importCommand,
  importEventsCommand,
  migrateCommand,
  recallCommand,
  assembleCommand,
  explainCommand,
  diagnoseCommand,
  viewCommand,
  freshnessCommand,
  exportCommand,
  importArchiveCommand,
  eraseCommand,
  holdCommand,
  keyCommand,
  findCommand,
  jobsCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  custodyCommand,
  upgradeCommand,
] as const;

const MORE = `
Exit codes: 0 it worked, 1 it was refused or failed, 2 the command line is
wrong.

A command that needs the service uses the one that holds the data directory,
and otherwise runs one of its own until it is done. MUNIMENT_DATABASE_URL
names a PostgreSQL server instead of the embedded database,
MUNIMENT_LOG_LEVEL=debug shows where an error comes from.`;

/** Help is text: on a wide terminal it stays as narrow. */
const HELP_COLUMNS = 80;
const TEXT_COLUMNS_MIN = 30;

/** The whole command line. Nothing runs before it is parsed; `complain` is told what is wrong with it, for people. */
export function createProgram(io: Io, complain: Io["err"] = io.err): Command {
  const program = new Command("muniment")
    .description("Governed memory for AI agents.")
    .version(packageVersion())
    .addHelpText("after", MORE);
  for (const make of COMMANDS) program.addCommand(make(io));
  return settle(program, io, complain);
}

/** An option without which a command doesn't start says so. */
function describe(option: Option): string {
  const { description, mandatory, defaultValue } = option;
  if (mandatory && defaultValue === undefined) return `${description} (required)`;
  return new Help().optionDescription(option);
}

/** Subcommands that are added take no settings over, so each gets them. */
function settle(command: Command, io: Io, complain: Io["err"]): Command {
  command.exitOverride().configureOutput({
    writeOut: (text) => io.out(text.trimEnd()),
    writeErr: (text) => complain(text.trimEnd()),
    getOutHelpWidth: () => HELP_COLUMNS,
    getErrHelpWidth: () => HELP_COLUMNS,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
  command.configureHelp({ optionDescription: describe, minWidthToWrap: TEXT_COLUMNS_MIN });
  for (const sub of command.commands) settle(sub, io, complain);
  return command;
}
