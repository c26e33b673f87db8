import { z } from "zod";
import { MunimentError } from "../../domain/errors.js";
import { parseFieldId } from "../../domain/field-rules.js";
import { parseRouteId } from "../../domain/input.js";
import type { Caller } from "../caller.js";
import { json, text, whole } from "../inputs/parse.js";
import { putField } from "../put-field.js";
import { putRoute } from "../put-route.js";
import { readField } from "../read-field.js";
import { readRoute } from "../read-route.js";
import type { Services } from "../services.js";
import { hashDefinition } from "./line.js";
import type { SkipReason } from "./line-replies.js";

const definition = { version: whole(1), definition: json, reason: text(500) };

export const routeLine = z.strictObject({
  kind: z.literal("route"),
  route_id: z.string(),
  ...definition,
});
export const fieldLine = z.strictObject({
  kind: z.literal("field"),
  field_id: z.string(),
  ...definition,
});
export type DefinitionLine = z.output<typeof routeLine> | z.output<typeof fieldLine>;

export type Brought = "imported" | "present" | SkipReason;

/**
 * Writes a version of a route or field as its caller would: by their own right to do so, under the rules that hold here, and
 * right behind the version before it.
 */
export async function bringDefinition(
  services: Services,
  caller: Caller,
  line: DefinitionLine,
): Promise<Brought> {
  const standing = await found(services, caller, line, line.version);
  if (standing !== null)
    return hashDefinition(standing) === hashDefinition(line.definition)
      ? "present"
      : "exists_other";
  const latest = await found(services, caller, line);
  if ((latest?.version ?? 0) !== line.version - 1) return "parent_missing";
  const {
    route_id: _route,
    field_id: _field,
    version: _version,
    ...own
  } = line.definition as {
    readonly [key: string]: unknown;
  };
  const body = { ...own, reason: line.reason };
  const { version } =
    line.kind === "route"
      ? await putRoute(services, caller, line.route_id, body)
      : await putField(services, caller, line.field_id, body);
  return version === line.version ? "imported" : "exists_other";
}

async function found(
  services: Services,
  caller: Caller,
  line: DefinitionLine,
  version?: number,
): Promise<{ readonly version: number } | null> {
  const query = version === undefined ? {} : { version };
  try {
    if (line.kind === "route")
      return (await readRoute(services, caller, parseRouteId(line.route_id, "route_id"), query))
        .route;
    return (await readField(services, caller, parseFieldId(line.field_id, "field_id"), query))
      .field;
  } catch (error) {
    if (error instanceof MunimentError && error.kind === "not_found") return null;
    throw error;
  }
}
