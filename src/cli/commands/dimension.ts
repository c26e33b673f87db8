import { Command } from "commander";
import { must } from "../../domain/errors.js";
import type { ListDimensionsReply } from "../../services/list-dimensions.js";
import type { PutDimensionReply } from "../../services/put-dimension.js";
import type { TestDimensionReply } from "../../services/test-dimension.js";
import { path } from "../client.js";
import { applyDefinition, readDefinitionFiles } from "../definition-files.js";
import { EXIT, Exit } from "../failure.js";
import type { Io } from "../io.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withClient, withNewClient } from "../service.js";
import { table } from "../table.js";

interface ApplyOptions extends TenantOptions {
  readonly reason?: string;
}

export function dimensionCommand(io: Io): Command {
  const apply = withTenant(
    new Command("apply")
      .description("write a dimension's YAML or JSON file, or each one of a directory")
      .argument("<path>", "file or directory")
      .option("--reason <text>", "why they change (the file's name where it isn't given)"),
  ).action((at: string, options: ApplyOptions) => applyDimensions(at, options, io));
  const list = withTenant(
    new Command("list").description("show what is observed of people"),
  ).action((options: TenantOptions) => listDimensions(options, io));
  const test = withTenant(
    new Command("test")
      .description("show what is observed in the examples of a dimension's file")
      .argument("<file>", "YAML or JSON"),
  )
    .addHelpText("after", "\nExit code 1 where an example fails. Nothing is kept.")
    .action((file: string, options: TenantOptions) => testDimension(file, options, io));
  return new Command("dimension")
    .description("write, show and try what is observed of people")
    .addCommand(apply)
    .addCommand(list)
    .addCommand(test);
}

async function applyDimensions(at: string, options: ApplyOptions, io: Io): Promise<void> {
  const files = readDefinitionFiles(at, "dimension_id");
  await withNewClient({ options, role: "operator", io }, async (client) => {
    for (const file of files) {
      const { dimension_id, version, changed } = await applyDefinition(
        file,
        options.reason,
        (body) => client.call<PutDimensionReply>("PUT", path`/v1/dimensions/${file.id}`, body),
      );
      const line = `${dimension_id} v${version} ${changed ? "written" : "unchanged"}`;
      io.out(options.json ? JSON.stringify({ dimension_id, version, changed }) : line);
    }
  });
}

async function listDimensions(options: TenantOptions, io: Io): Promise<void> {
  const { dimensions } = await withClient({ options, role: "operator", io }, (client) =>
    client.call<ListDimensionsReply>("GET", "/v1/dimensions"),
  );
  if (options.json) {
    for (const one of dimensions) io.out(JSON.stringify(one));
    return;
  }
  const rows = dimensions.map(({ dimension, version, origin }) => [
    dimension.dimension_id,
    origin,
    String(version),
    dimension.description,
  ]);
  io.out(table(["dimension", "origin", "version", "what it takes"], rows));
}

async function testDimension(at: string, options: TenantOptions, io: Io): Promise<void> {
  const file = must(readDefinitionFiles(at, "dimension_id")[0], "file");
  const reply = await withClient({ options, role: "operator", io }, (client) =>
    applyDefinition(file, "a test", (body) =>
      client.call<TestDimensionReply>("POST", path`/v1/dimensions/${file.id}/test`, body),
    ),
  );
  if (options.json) io.out(JSON.stringify(reply));
  else show(reply, io);
  if (!reply.holds) throw new Exit(EXIT.failed);
}

function show({ examples }: TestDimensionReply, io: Io): void {
  const rows = examples.map(({ example, holds, observations }) => [
    example,
    holds ? "holds" : "fails",
    observations.map(({ dimension, text }) => `${dimension}: ${text}`).join("; "),
  ]);
  io.out(table(["example", "", "observed"], rows));
}
