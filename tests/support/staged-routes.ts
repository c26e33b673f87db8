import { type Operations, routeBody } from "./muniment.js";

/** A route of three stages, one for payments without long-term memory, and one without a loop. */
export async function putStagedRoutes(operator: Operations): Promise<void> {
  const stages = ["lookup", "explain", "send"].map((stage_id) => ({ stage_id, tools: [] }));
  await operator.putRoute("fee_explain", routeBody({ autonomy: 2, stages }));
  const profile = { long_term: "none" };
  await operator.putRoute("payment", routeBody({ risk: "high", profile }));
  await operator.putRoute("no_loop", routeBody({ profile: { loop: "none" } }));
}
