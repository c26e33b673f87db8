import { Command } from "commander";
import type { RotateKeyReply } from "../../services/rotate-key.js";
import { path } from "../client.js";
import { counted } from "../counted.js";
import type { Io } from "../io.js";
import { noSubject, orMissing } from "../missing.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { timeOf } from "../time.js";

export function keyCommand(io: Io): Command {
  return new Command("key")
    .description("the data key that a person's memory is sealed with")
    .addCommand(rotateCommand(io));
}

const ROTATE_MORE = `
The service goes on meanwhile. Cut short at any moment, it is simply run
again, or left to the service. The key before stays for
MUNIMENT_KEY_KEEP_DAYS, for backups of the database from before.`;

function rotateCommand(io: Io): Command {
  return withTenant(
    new Command("rotate")
      .description("give a person a new data key and seal their memory anew under it")
      .argument("<subject>", "whose key"),
  )
    .addHelpText("after", ROTATE_MORE)
    .action(async (subject: string, options: TenantOptions) => {
      const rotated = await withClient({ options, role: "privacy_officer", io }, async (client) => {
        let resealed = 0;
        for (;;) {
          const { decision: _, ...reply } = await orMissing(
            client.call<RotateKeyReply>("POST", path`/v1/subjects/${subject}/key-rotations`, {}),
            noSubject(subject, options),
          );
          resealed += reply.resealed;
          if (reply.state === "sealed") return { ...reply, resealed };
        }
      });
      if (options.json) return io.out(JSON.stringify(rotated));
      io.out(`${counted(rotated.resealed, "row")} sealed under key ${rotated.key_version}`);
      io.out(`the keys before it are destroyed after ${timeOf(rotated.older_until)}`);
    });
}
