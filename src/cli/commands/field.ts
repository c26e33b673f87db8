import { Command } from "commander";
import type { ListFieldsReply } from "../../services/list-fields.js";
import type { PutFieldReply } from "../../services/put-field.js";
import type { ListDefinitionsReply } from "../../services/read-field.js";
import { path } from "../client.js";
import { commandLine } from "../command-line.js";
import { applyDefinition, readDefinitionFiles } from "../definition-files.js";
import type { Io } from "../io.js";
import { noSubject, orMissing } from "../missing.js";
import { type TenantOptions, withTenant } from "../options.js";
import { everyPage } from "../pages.js";
import { withClient, withNewClient } from "../service.js";
import { shortId } from "../source.js";
import { table } from "../table.js";
import { timeOf } from "../time.js";
import { fieldLogCommand, fieldRevertCommand } from "./field-log.js";

interface ApplyOptions extends TenantOptions {
  readonly reason?: string;
}

export function fieldCommand(io: Io): Command {
  const apply = withTenant(
    new Command("apply")
      .description("write a field's YAML or JSON file, or each one of a directory")
      .argument("<path>", "file or directory")
      .option("--reason <text>", "why the fields change (the file's name where it isn't given)"),
  ).action((at: string, options: ApplyOptions) => applyFields(at, options, io));
  const list = withTenant(
    new Command("list").description("show the latest definition of each field"),
  ).action((options: TenantOptions) => listDefinitions(options, io));
  const values = withTenant(
    new Command("values")
      .description("show every value that an agent can read about a subject")
      .argument("<subject>", "whom they are about"),
  ).action((subject: string, options: TenantOptions) => listValues(subject, options, io));
  return new Command("field")
    .description("write and show fields of the store, and their values")
    .addCommand(apply)
    .addCommand(list)
    .addCommand(values)
    .addCommand(fieldLogCommand(io))
    .addCommand(fieldRevertCommand(io));
}

async function applyFields(at: string, options: ApplyOptions, io: Io): Promise<void> {
  const files = readDefinitionFiles(at, "field_id");
  await withNewClient({ options, role: "operator", io }, async (client) => {
    for (const file of files) {
      const { field_id, version, changed } = await applyDefinition(file, options.reason, (body) =>
        client.call<PutFieldReply>("PUT", path`/v1/fields/${file.id}`, body),
      );
      const line = `${field_id} v${version} ${changed ? "written" : "unchanged"}`;
      io.out(options.json ? JSON.stringify({ field_id, version, changed }) : line);
    }
  });
}

async function listDefinitions(options: TenantOptions, io: Io): Promise<void> {
  const found = await withClient({ options, role: "operator", io }, (client) =>
    everyPage(client, "/v1/fields", (page: ListDefinitionsReply) => page.fields),
  );
  if (options.json) {
    for (const field of found) io.out(JSON.stringify(field));
    return;
  }
  if (found.length === 0) {
    io.err("no fields yet: muniment field apply <path>");
    return;
  }
  const rows = found.map(({ field }) => [
    field.field_id,
    String(field.version),
    field.class,
    field.writers.join(" "),
    field.owner,
  ]);
  io.out(table(["field", "version", "class", "writers", "owner"], rows));
}

async function listValues(subject: string, options: TenantOptions, io: Io): Promise<void> {
  const { fields } = await withClient({ options, role: "operator", io }, (client) =>
    orMissing(
      client.call<ListFieldsReply>("GET", path`/v1/subjects/${subject}/fields`),
      noSubject(subject, options),
    ),
  );
  if (options.json) {
    for (const field of fields) io.out(JSON.stringify(field));
    return;
  }
  if (fields.length === 0) {
    io.err("no values stand for this subject");
    io.err(`what was decided before: ${commandLine(["field", "log", subject], options)}`);
    return;
  }
  const rows = fields.map((field) => [
    field.field_id,
    JSON.stringify(field.value),
    field.class,
    field.key,
    `${field.source}, by ${shortId(field.updated_by)}, ${timeOf(field.updated_at)}`,
  ]);
  io.out(table(["field", "value", "class", "key", "from"], rows));
}
