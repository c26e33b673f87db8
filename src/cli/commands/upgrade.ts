import { Command } from "commander";
import { UsageError } from "../failure.js";
import type { Io } from "../io.js";
import { type CommonOptions, withJson } from "../options.js";

export function upgradeCommand(io: Io): Command {
  return withJson(
    new Command("upgrade").description("bring the database of MUNIMENT_MIGRATE_URL forward"),
  ).action(async ({ json }: CommonOptions) => {
    const { applyMigrations } = await import("../../compose/apply-migrations.js");
    const applied = await applyMigrations({});
    if (applied === null) {
      throw new UsageError(
        "set MUNIMENT_MIGRATE_URL: the embedded database migrates itself when it opens",
      );
    }
    if (json) io.out(JSON.stringify({ applied }));
    else if (applied.length === 0) io.out("nothing to do");
    else for (const name of applied) io.out(`applied ${name}`);
  });
}
