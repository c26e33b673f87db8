import { type FieldDefinition, isReadBy, needsFourEyes } from "../domain/field.js";
import { isQuarantined } from "../domain/origin.js";
import type { Route } from "../domain/route.js";
import type {
  ApproveAsk,
  EvaluateAsk,
  FieldAsk,
  PreferenceAsk,
  ProposeAsk,
  WriteAsk,
} from "./asks.js";
import type { Attributes } from "./pdp.js";
import { toTool } from "./tool-evaluation.js";

type Asks = FieldAsk & Partial<ProposeAsk & PreferenceAsk & WriteAsk & ApproveAsk & EvaluateAsk>;

export function isFieldAsk(context: object): context is FieldAsk {
  return "field" in context;
}

/** What a definition says that decides over its values. */
function factsOf(field: FieldDefinition): Attributes {
  return {
    id: field.field_id,
    class: field.class,
    writers: field.writers,
    session_key: field.scope === "session",
    sensitive: field.sensitive,
    four_eyes: needsFourEyes(field),
    ...(field.criterion !== undefined && { criterion: field.criterion }),
  };
}

/** True where the route lists the field and the field takes the route. */
function isOnRoute(field: FieldDefinition, route: Route): boolean {
  return route.store_fields.includes(field.field_id) && isReadBy(field, route.route_id);
}

/** Context of a question about a field, in a run of `route` where there is one. Each part is named: nothing of the question is passed through. */
export function fieldContext(asked: FieldAsk, route?: Route): Attributes {
  const { field, origin, tool, writer, approvedByCaller, criterion }: Asks = asked;
  return {
    field: factsOf(field),
    ...(origin !== undefined && { origin, quarantined: isQuarantined(origin) }),
    ...(tool && route && { tool: toTool(tool, route), on_route: isOnRoute(field, route) }),
    ...(writer !== undefined && { writer }),
    ...(approvedByCaller !== undefined && { approved_by_caller: approvedByCaller }),
    ...(criterion !== undefined && { criterion }),
  };
}
