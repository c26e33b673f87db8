import { MunimentError } from "./errors.js";
import type { RouteId } from "./ids.js";
import type { Route } from "./route.js";

/** A route as its author writes it. The version is given by the system when it is stored. */
export type RouteDraft = Omit<Route, "version">;

/** A route from outside, strict. `route_id` may stand in it, if it is the same. */
export function parseRoute(_value: unknown, _routeId: RouteId): RouteDraft {
  throw new MunimentError("internal", "not there yet");
}
