import { Command } from "commander";
import type { FindTextReply } from "../../services/find-text.js";
import { counted } from "../counted.js";
import type { Io } from "../io.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { showStores } from "../stores.js";

interface FindOptions extends TenantOptions {
  readonly raw: true;
}

const MORE = `
Looks at the tenant's rows, the queue and, where there is no other tenant, the
files of the data directory, byte by byte, and opens nothing: a text that is
sealed isn't found. The search is audited, the text is kept nowhere.`;

export function findCommand(io: Io): Command {
  return withTenant(
    new Command("find")
      .description("say in which store a text can be found")
      .argument("<text>", "what to look for")
      .requiredOption("--raw", "look at what is stored as it is stored"),
  )
    .addHelpText("after", MORE)
    .action(async (text: string, { raw: _raw, ...options }: FindOptions) => {
      const { stores, files_left_out } = await withClient(
        { options, role: "privacy_officer", io },
        (client) => client.call<FindTextReply>("POST", "/v1/find", { text }),
      );
      if (options.json) io.out(JSON.stringify({ stores, files_left_out }));
      else show({ stores, files_left_out }, io);
    });
}

function show(
  { stores, files_left_out }: Pick<FindTextReply, "stores" | "files_left_out">,
  io: Io,
): void {
  showStores(stores, io);
  io.out(
    `Searched ${counted(stores.length, "store")} (${kindsOf(stores)}) as they are stored: sealed text isn't found by its words, erased or not.`,
  );
  if (files_left_out)
    io.out(
      "Files weren't searched: the installation has other tenants. Search its data directory where it stands.",
    );
}

/** What the stores are: most are tables. */
function kindsOf(stores: FindTextReply["stores"]): string {
  const count = (prefix: string) => stores.filter(({ name }) => name.startsWith(prefix)).length;
  const queue = count("queue.");
  const files = count("files.");
  return [
    counted(stores.length - queue - files, "table"),
    `${queue} of the queue`,
    `${counted(files, "kind")} of files`,
  ].join(", ");
}
