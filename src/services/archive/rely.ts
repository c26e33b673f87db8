import { must } from "../../domain/errors.js";
import type { FieldDefinition } from "../../domain/field.js";
import { type FieldId, type RouteId, trustedId } from "../../domain/ids.js";
import type { AskedAction } from "../../policy/question.js";
import type { ArchivedRow } from "../../storage/archive/archived-table.js";
import { findField } from "../../storage/queries/field-find.js";
import { findRoute, type RouteRow } from "../../storage/queries/route-find.js";
import type { Operation } from "../operation.js";
import type { Codec } from "./codec.js";
import { hashDefinition } from "./line.js";

/** Definitions of this tenant that lines rely on, by name and version. */
export class Definitions {
  readonly #routes: ReadonlyMap<string, RouteRow>;
  readonly #fields: ReadonlyMap<string, FieldDefinition>;

  constructor(routes: readonly RouteRow[], fields: readonly FieldDefinition[]) {
    this.#routes = new Map(routes.map((row) => [`${row.routeId}@${row.version}`, row]));
    this.#fields = new Map(fields.map((row) => [`${row.field_id}@${row.version}`, row]));
  }

  route = (routeId: string, version: number): RouteRow =>
    must(this.#routes.get(`${routeId}@${version}`), "route of a line");

  field = (fieldId: string, version: number): FieldDefinition =>
    must(this.#fields.get(`${fieldId}@${version}`), "field of a line");

  /** False where what the line relies on isn't here, or says something else here: it would mean another thing. */
  agrees(codec: Codec, line: ArchivedRow): boolean {
    if (codec.relies === undefined) return true;
    const own =
      codec.relies === "route"
        ? this.#routes.get(nameOf("route", line))?.definition
        : this.#fields.get(nameOf("field", line));
    return own !== undefined && hashDefinition(own) === line.definition_sha256;
  }
}

function nameOf(relies: "route" | "field", line: ArchivedRow): string {
  return relies === "route"
    ? `${String(line.route_id)}@${String(line.route_version)}`
    : `${String(line.field_id)}@${String(line.definition_version)}`;
}

/** Looks up what the lines rely on, each once. */
export async function definitionsFor<A extends AskedAction>(
  { services, caller }: Operation<A>,
  lines: readonly { readonly codec: Codec; readonly line: ArchivedRow }[],
): Promise<Definitions> {
  const named = (relies: "route" | "field") => [
    ...new Set(
      lines.filter(({ codec }) => codec.relies === relies).map(({ line }) => nameOf(relies, line)),
    ),
  ];
  const routes = named("route").map(split);
  const fields = named("field").map(split);
  if (routes.length + fields.length === 0) return new Definitions([], []);
  const permit = services.policy.resolvePermit(caller.principal, services.clock.now());
  const found = await services.store.transact(permit, (tx) =>
    tx.commit([
      ...routes.map(([id, version]) => findRoute(permit, id as RouteId, version)),
      ...fields.map(([id, version]) =>
        findField(permit, trustedId<"FieldId">(id) as FieldId, version),
      ),
    ]),
  );
  return new Definitions(
    found.slice(0, routes.length).flat() as readonly RouteRow[],
    (found.slice(routes.length).flat() as readonly { definition: FieldDefinition }[]).map(
      ({ definition }) => definition,
    ),
  );
}

function split(name: string): readonly [string, number] {
  const at = name.lastIndexOf("@");
  return [name.slice(0, at), Number(name.slice(at + 1))];
}
