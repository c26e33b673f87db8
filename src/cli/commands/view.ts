import { Command } from "commander";
import { minute } from "../../domain/assembly/line.js";
import type { Fold, FoldValue } from "../../domain/fold-rules.js";
import type { StateItem, StructuredState } from "../../domain/projection.js";
import type { UserModel } from "../../domain/user-model.js";
import type { ReadViewReply } from "../../services/read-view.js";
import { path } from "../client.js";
import type { Io } from "../io.js";
import { noSubject, orMissing } from "../missing.js";
import { type TenantOptions, withTenant } from "../options.js";
import { withClient } from "../service.js";
import { shortSource } from "../source.js";
import { table } from "../table.js";

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
function whatWaits(subject: string, { tenant }: TenantOptions): string {
  return `not all that was said is in it yet: muniment freshness ${subject} --tenant ${tenant} shows what waits or is parked; muniment jobs list --state parked --tenant ${tenant} says why, and muniment jobs retry goes on`;
}

function show({ view, state, computed_at, body, pending, cited }: ReadViewReply, io: Io): void {
  const { sessions, observations } = pending;
  io.out(`${view} is ${state}${computed_at === null ? "" : `, computed ${computed_at}`}`);
  io.out(`pending: sessions ${sessions}, observations ${observations}`);
  const { head, rows } = tableOf(body, cited);
  if (rows.length > 0) io.out(table(head, rows));
}

function tableOf(body: ReadViewReply["body"], cited: ReadViewReply["cited"]) {
  if ("entries" in body)
    return { head: ["key", "value", "tier", "from", "others"], rows: entriesOf(body) };
  if ("dropped" in body) {
    const head = ["dimension", "trajectory", "statement", "rests on"];
    return { head, rows: statementsOf(body, cited) };
  }
  return { head: ["list", "item", "kind", "since", "from", "shown"], rows: itemsOf(body) };
}

function entriesOf({ entries }: Fold): readonly string[][] {
  return entries.map(({ key, current, others }) => [
    key,
    current === null ? "" : valueText(current),
    current?.tier ?? "",
    current === null ? "" : sourceOf(current),
    others.map((other) => `${valueText(other)} (${other.why}, ${sourceOf(other)})`).join(", "),
  ]);
}

function valueText({ value, unit }: FoldValue): string {
  const said = typeof value === "object" && value !== null ? fieldsOf(value) : String(value ?? "");
  return unit === null ? said : `${said} ${unit}`;
}

function sourceOf({ source, id, effective_at }: FoldValue): string {
  return `${source} ${shortSource([id])}, ${dayOf(effective_at)}`;
}

function statementsOf({ sections }: UserModel, cited: ReadViewReply["cited"]): readonly string[][] {
  const times = new Map(
    cited.map((one) => [one.observation_id, minute(new Date(one.observed_at))]),
  );
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
      title,
      [
        fieldsOf(fields),
        ...(unit === null ? [] : [`unit ${unit}`]),
        ...(conditions === null ? [] : [`only under: ${fieldsOf(conditions)}`]),
      ].join(", "),
      kind,
      dayOf(effective_at),
      shortSource(event_ids),
      `${shown} of ${of}`,
    ]),
  );
}

function fieldsOf(fields: StateItem["fields"]): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
    .join(", ");
}

function dayOf(time: string): string {
  return time.slice(0, 10);
}
