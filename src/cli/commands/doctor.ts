import { Command } from "commander";
import { EXIT, Exit } from "../failure.js";
import type { Io } from "../io.js";
import { type PlaceOptions, placeOf, withPlace } from "../options.js";
import { table } from "../table.js";

const MORE = `
Looks at disk, lock, database, migrations, roles, row-level security, custody,
issuers and whether a language model's service answers. Exit code 1 where one
of them isn't sound. A data directory that a service holds is asked of that
service. With MUNIMENT_METRICS_PORT set as for the service, it shows what that
counts, such as recall's indexes.`;

export function doctorCommand(io: Io): Command {
  return withPlace(new Command("doctor").description("check this installation"))
    .addHelpText("after", MORE)
    .action(async (options: PlaceOptions) => {
      const { diagnose } = await import("../../compose/diagnosis/diagnose.js");
      const diagnosis = await diagnose(placeOf(options));
      if (options.json) {
        io.out(JSON.stringify(diagnosis));
      } else {
        const rows = diagnosis.checks.flatMap(({ name, ok, detail, next_step }) => [
          [ok ? "ok" : "FAIL", name, detail],
          ...(next_step === undefined ? [] : [["", "", `next: ${next_step}`]]),
        ]);
        io.out(table([], rows));
        for (const warning of diagnosis.warnings) io.out(`warn ${warning}`);
        for (const [name, value] of Object.entries(diagnosis.figures ?? {}))
          io.out(`info ${name} ${value}`);
      }
      if (!diagnosis.ok) throw new Exit(EXIT.failed);
    });
}
