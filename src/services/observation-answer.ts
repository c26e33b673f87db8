import { invalid } from "../domain/fields.js";
import type { Observed } from "../domain/observation.js";
import { checkObservations } from "../domain/observation-rules.js";
import { givingWay } from "../domain/steps.js";
import type { Caller } from "./caller.js";
import { askWithinBudget } from "./model-budget.js";
import type { RouteTurns } from "./observed-turns.js";
import type { Services } from "./services.js";

/** What of an answer stands in the turns. */
export interface Answered {
  readonly route: RouteTurns;
  readonly observed: readonly Observed[];
  readonly dropped: number;
}

/** Asks the observer of what was said under a route. An answer of which nothing is found is an error. */
export async function answerOf(
  services: Services,
  caller: Caller,
  route: RouteTurns,
): Promise<Answered> {
  const { source } = route;
  const asked = services.observer;
  const given = await askWithinBudget(services, caller, "observe", { asked, source });
  const { observed, found, dropped } = await givingWay(checkObservations(given, source));
  const [first] = dropped;
  if (first !== undefined && found === 0)
    throw invalid(first.field ?? "observations", "isn't found in the turns");
  return { route, observed, dropped: dropped.length };
}
