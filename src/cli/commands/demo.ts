import { Command } from "commander";
import { tellStory } from "../demo/tell.js";
import { EXIT, Exit } from "../failure.js";
import type { Io } from "../io.js";
import { type PlaceOptions, placeOf, withPlace } from "../options.js";
import { sayOpened } from "../service.js";

const MORE = `
Without --data-dir it runs on a database of its own that is gone afterwards.
--json prints {step, ok, detail} a line, then {ok, failed}. Exit code 1 where
a step failed.`;

export function demoCommand(io: Io): Command {
  return withPlace(new Command("demo").description("run the demo story and check what it claims"))
    .addHelpText("after", MORE)
    .action(async (options: PlaceOptions) => {
      const { connectForTrial } = await import("../../compose/connect.js");
      const connection = await connectForTrial(placeOf(options), sayOpened(options, io));
      try {
        const failed = await tellStory(connection, { io, json: options.json ?? false });
        if (failed > 0) throw new Exit(EXIT.failed);
      } finally {
        await connection.close();
      }
    });
}
