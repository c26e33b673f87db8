import { Command } from "commander";
import { checkArchive } from "../../services/archive/archive-reader.js";
import type { LineTally, SkipReason } from "../../services/archive/line-replies.js";
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
It is read to its end first: one that was cut off or changed is refused whole.
What is here already is left as it is, so a broken-off import is simply
repeated. Where it lands is --tenant, whatever the file says. Routes and
fields that it relies on come with a tenant's archive, or are applied before.`;

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
      const isForgotten = result.left.some(({ reason }) => isRight(reason));
      const isNothing = result.imported + result.present === 0 && result.left.length > 0;
      if (isNothing && (result.refused > 0 || !isForgotten)) throw new Exit(EXIT.failed);
    });
}

/** What is skipped for good, as it should be. */
function isRight(reason: SkipReason | undefined): boolean {
  return reason === "erased" || reason === "erased_since" || reason === "expired";
}

const WHY = {
  erased: "it was forgotten",
  erased_since: "it was made of words of which some were forgotten since",
  expired: "its clock has run out",
  exists_other: "something else stands in its place",
  parent_missing: "what it belongs to isn't here",
  other_ledger: "it was made under another tenant's ledger key",
  definition_differs: "its route, field or dimension isn't here, or says something else",
} as const satisfies Record<SkipReason, string>;

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
    refusal?.message ?? (reason === undefined ? "" : WHY[reason]),
  ]);
  io.out(table(["line", "kind", "reason", "why"], cells));
  const more = result.skipped + result.refused - shown.length;
  if (more > 0) io.out(`and ${more} more: --json lists them`);
}
