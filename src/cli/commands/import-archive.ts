import { Command } from "commander";
import { checkArchive } from "../../services/archive/archive-reader.js";
import type { LineTally } from "../../services/archive/line-replies.js";
import {
  type ArchiveTaker,
  type ImportArchiveResult,
  importArchive,
} from "../../services/import-archive.js";
import { readLines } from "../archive-file.js";
import { type Client, path } from "../client.js";
import { EXIT, Exit } from "../failure.js";
import type { Io } from "../io.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withNewClient } from "../service.js";
import { table } from "../table.js";

const SHOWN_MAX = 20;

const MORE = `
It is read to its end first: one that was cut off or changed is refused whole. What is here already is
left as it is, so a broken-off import is simply repeated. Where it lands is --tenant, whatever the
file says. Routes and fields that it relies on come with a tenant's archive, or are applied before.`;

export function importArchiveCommand(io: Io): Command {
  return withTenant(
    new Command("import-archive")
      .description("bring in what muniment export wrote")
      .argument("<file>", "the archive"),
  )
    .addHelpText("after", MORE)
    .action(async (file: string, options: TenantOptions) => {
      await checkArchive(readLines(file));
      const role = { roles: ["privacy_officer", "operator"] };
      const result = await withNewClient({ options, role, io }, (client) =>
        importArchive(takerOf(client), readLines(file), (tally) =>
          io.progress?.(describe(tally)),
        ).finally(() => io.progress?.(null)),
      );
      if (options.json) io.out(JSON.stringify(result));
      else show(result, io);
      if (result.imported + result.present === 0 && result.left.length > 0)
        throw new Exit(EXIT.failed);
    });
}

function takerOf(client: Client): ArchiveTaker {
  return {
    importSubject: (subject, body) =>
      client.call("POST", path`/v1/subjects/${subject}/archive`, body),
    importTenant: (body) => client.call("POST", "/v1/archive", body),
  };
}

function describe({ imported, present, skipped, refused }: LineTally): string {
  return `${imported} imported, ${present} there already, ${skipped} skipped, ${refused} refused`;
}

function show(result: ImportArchiveResult, io: Io): void {
  io.out(describe(result));
  if (result.left.length === 0) return;
  const shown = result.left.slice(0, SHOWN_MAX);
  const cells = shown.map(({ line, kind, reason, refusal }) => [
    String(line),
    kind,
    reason ?? refusal?.kind ?? "",
    refusal?.message ?? "",
  ]);
  io.out(table(["line", "kind", "reason", "why"], cells));
  const more = result.skipped + result.refused - shown.length;
  if (more > 0) io.out(`and ${more} more: --json lists them`);
}
