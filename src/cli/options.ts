import { type Command, InvalidArgumentError, Option } from "commander";
import type { SettingsInput } from "../config/settings.js";

/** Options of every command. */
export interface CommonOptions {
  readonly json?: boolean;
}

/** Options of every command that opens a database. */
export interface PlaceOptions extends CommonOptions {
  readonly dataDir?: string;
}

/** Options of every command that acts inside a tenant. */
export interface TenantOptions extends PlaceOptions {
  readonly tenant: string;
  readonly workspace: string;
}

export function withJson(command: Command): Command {
  return command.option("--json", "print JSON for machines");
}

export function withPlace(command: Command): Command {
  return withJson(command.option("--data-dir <dir>", "data directory (or MUNIMENT_DATA_DIR)"));
}

export function withTenant(command: Command): Command {
  return withPlace(
    command
      .requiredOption("--tenant <name>", "tenant to act in")
      .option("--workspace <name>", "workspace of the tenant", "default"),
  );
}

export function placeOf({ dataDir }: PlaceOptions): SettingsInput {
  return dataDir === undefined ? {} : { dataDir };
}

/** A whole number between two bounds, or a usage error. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}

/** Collects an option that may be given several times. */
export function repeated(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

export function oneOf(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices);
}
