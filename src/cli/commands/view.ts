import { Command } from "commander";
import type { Fold, FoldValue } from "../../domain/fold-rules.js";
import type { StateItem, StructuredState } from "../../domain/projection.js";
import type { UserModel } from "../../domain/user-model.js";
import type { ReadViewReply } from "../../services/read-view.js";
import { path } from "../client.js";
import { commandLine } from "../command-line.js";
import type { Io } from "../io.js";
import { noSubject, orMissing } from "../missing.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { shortSource } from "../source.js";
import { table } from "../table.js";
import { timeOf } from "../time.js";
import { pendingOf } from "./freshness.js";

export function viewCommand(io: Io): Command {
  return withTenant(
    new Command("view")
      .description("show what is derived of a person, with what it rests on")
      .argument("<subject>", "the application's own id of the person")
      .argument("<view>", "user_model, fold, or a projection such as clinical_state"),
  ).action(async (subject: string, view: string, options: TenantOptions) => {
    const reply = await withClient({ options, role: "operator", io }, (client) =>
      orMissing(
        client.call<ReadViewReply>("GET", path`/v1/subjects/${subject}/views/${view}`),
        noSubject(subject, options),
      ),
    );
    if (options.json) io.out(JSON.stringify(reply));
    else {
      show(reply, io);
      if (reply.pending.sessions > 0) io.err(whatWaits(subject, options));
    }
  });
}

/** Nothing is shown of what waits: who sees too little has to know where it is. */
function whatWaits(subject: string, options: TenantOptions): string {
  return [
    "not all that was said is in it yet. What waits, or is parked, and why:",
    `  ${commandLine(["freshness", subject], options)}`,
    `  ${commandLine(["jobs", "list", "--state", "parked"], options)}`,
  ].join("\n");
}

function show({ view, state, computed_at, body, pending, cited }: ReadViewReply, io: Io): void {
  io.out(`${view} is ${state}${computed_at === null ? "" : `, computed ${timeOf(computed_at)}`}`);
  io.out(`pending: ${pendingOf(pending)}`);
  const { head, rows } = tableOf(body, cited);
  if (rows.length > 0) io.out(table(head, rows));
  else io.out(`nothing of the person is in ${view}`);
}

function tableOf(body: ReadViewReply["body"], cited: ReadViewReply["cited"]) {
  if ("entries" in body)
    return { head: ["key", "value", "standing", "from"], rows: entriesOf(body) };
  if ("dropped" in body) {
    const head = ["dimension", "trajectory", "statement", "rests on"];
    return { head, rows: statementsOf(body, cited) };
  }
  return { head: ["list", "item", "kind", "since", "from"], rows: itemsOf(body) };
}

/** What is current, and below it what else was said of the same. */
function entriesOf({ entries }: Fold): readonly string[][] {
  return entries.flatMap(({ key, current, others }) => {
    const values = [
      ...(current === null ? [] : [[current, `current, ${current.tier}`] as const]),
      ...others.map((other) => [other, other.why] as const),
    ];
    return values.map(([value, standing], at) => [
      at === 0 ? key : "",
      valueText(value),
      standing,
      sourceOf(value),
    ]);
  });
}

function valueText({ value, unit }: FoldValue): string {
  const said = typeof value === "object" && value !== null ? fieldsOf(value) : String(value ?? "");
  return unit === null ? said : `${said} ${unit}`;
}

function sourceOf({ source, id, effective_at }: FoldValue): string {
  return `${source} ${shortSource([id])}, ${timeOf(effective_at)}`;
}

function statementsOf({ sections }: UserModel, cited: ReadViewReply["cited"]): readonly string[][] {
  const times = new Map(cited.map((one) => [one.observation_id, timeOf(one.observed_at)]));
  return sections.flatMap(({ dimension, trajectory, statements }) =>
    statements.map(({ text, observation_ids, is_safety }) => [
      dimension,
      trajectory,
      is_safety ? `${text} [safety]` : text,
      observation_ids.map((id) => `${shortSource([id])}, ${times.get(id) ?? ""}`).join("; "),
    ]),
  );
}

function itemsOf({ sections }: StructuredState): readonly string[][] {
  return sections.flatMap(({ title, items, shown, of }) =>
    items.map(({ fields, unit, conditions, kind, effective_at, event_ids }) => [
      `${title} (${shown} of ${of})`,
      [
        fieldsOf(fields),
        ...(unit === null ? [] : [`unit ${unit}`]),
        ...(conditions === null ? [] : [`only under: ${fieldsOf(conditions)}`]),
      ].join(", "),
      kind,
      timeOf(effective_at),
      shortSource(event_ids),
    ]),
  );
}

function fieldsOf(fields: StateItem["fields"]): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
    .join(", ");
}
