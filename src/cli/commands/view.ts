import { Command } from "commander";
import type { Fold } from "../../domain/fold-rules.js";
import type { StructuredState } from "../../domain/projection.js";
import type { UserModel } from "../../domain/user-model.js";
import type { ReadViewReply } from "../../services/read-view.js";
import { path } from "../client.js";
import type { Io } from "../io.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { table } from "../table.js";

export function viewCommand(io: Io): Command {
  return withTenant(
    new Command("view")
      .description("show what is derived of a person, with what it rests on")
      .argument("<subject>", "the application's own id of the person")
      .argument("<view>", "user_model, fold, or a projection such as clinical_state"),
  ).action(async (subject: string, view: string, options: TenantOptions) => {
    const reply = await withClient({ options, role: "operator", io }, (client) =>
      client.call<ReadViewReply>("GET", path`/v1/subjects/${subject}/views/${view}`),
    );
    if (options.json) io.out(JSON.stringify(reply));
    else show(reply, io);
  });
}

function show({ view, state, computed_at, body, pending }: ReadViewReply, io: Io): void {
  const { sessions, observations } = pending;
  io.out(`${view} is ${state}${computed_at === null ? "" : `, computed ${computed_at}`}`);
  io.out(`pending: sessions ${sessions}, observations ${observations}`);
  if ("entries" in body) io.out(table(["key", "value", "tier", "others"], entriesOf(body)));
  else if ("dropped" in body)
    io.out(table(["dimension", "trajectory", "statement", "rests on"], statementsOf(body)));
  else io.out(table(["list", "item", "from", "shown"], itemsOf(body)));
}

function entriesOf({ entries }: Fold): readonly string[][] {
  return entries.map(({ key, current, others }) => [
    key,
    JSON.stringify(current?.value ?? null),
    current?.tier ?? "",
    others.map(({ value, why }) => `${JSON.stringify(value)} (${why})`).join(", "),
  ]);
}

function statementsOf({ sections }: UserModel): readonly string[][] {
  return sections.flatMap(({ dimension, trajectory, statements }) =>
    statements.map(({ text, observation_ids }) => [
      dimension,
      trajectory,
      text,
      `${observation_ids.length}`,
    ]),
  );
}

function itemsOf({ sections }: StructuredState): readonly string[][] {
  return sections.flatMap(({ title, items, shown, of }) =>
    items.map(({ fields, effective_at }) => [
      title,
      JSON.stringify(fields),
      effective_at,
      `${shown} of ${of}`,
    ]),
  );
}
