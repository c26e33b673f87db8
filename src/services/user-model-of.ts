import { withinRoom } from "../domain/consolidate-room.js";
import type { RouteId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { givingWay } from "../domain/steps.js";
import {
  EMPTY_MODEL,
  type ModelObservation,
  type ModelSection,
  restingOn,
  type UserModel,
} from "../domain/user-model.js";
import { checkSections } from "../domain/user-model-rules.js";
import type { StandingObservation } from "../storage/queries/observation-list-to-consolidate.js";
import type { ViewRow } from "../storage/queries/view-read.js";
import type { Caller } from "./caller.js";
import { askWithinBudget } from "./model-budget.js";
import { openObservation } from "./observation-reading.js";
import type { Services } from "./services.js";
import { openView } from "./view-place.js";

interface Evidence {
  /** Called before each question but the first: they may take long together. */
  readonly renew: () => Promise<void>;
  /** The model as it stands. */
  readonly view: ViewRow | undefined;
  readonly fresh: readonly StandingObservation[];
  readonly earlier: readonly StandingObservation[];
}

interface OpenModelObservation {
  readonly route: RouteId;
  readonly observation: ModelObservation;
}

/**
 * The person's model with what is fresh in it. Only routes with something fresh are asked about, each on its own; of the others
 * stays what still rests on something. Told with it is how much a question had no room for.
 */
export async function userModelOf(
  services: Services,
  caller: Caller,
  key: SubjectKey,
  { renew, view, fresh, earlier }: Evidence,
): Promise<{ readonly model: UserModel; readonly leftOut: number }> {
  const before = (view && openView<UserModel>(services, view, key)) ?? EMPTY_MODEL;
  const known = {
    fresh: open(services, key, fresh),
    earlier: open(services, key, earlier),
  };
  const all = [...known.fresh, ...known.earlier];
  const standing = restingOn(
    before.sections,
    new Set(all.map(({ observation }) => observation.id)),
  );
  const routes = [...new Set(known.fresh.map(({ route }) => route))];
  const sections = standing.filter(({ route_id }) => !routes.includes(route_id));
  const asked = services.consolidator;
  let dropped = 0;
  let leftOut = 0;
  for (const route of routes) {
    if (route !== routes[0]) await renew();
    const whole = {
      sections: standing.filter(({ route_id }) => route_id === route),
      fresh: of(route, known.fresh),
      earlier: of(route, known.earlier),
      leftOut: 0,
    };
    const source = asked.model === null ? whole : withinRoom(whole);
    const answer = await askWithinBudget(services, caller, "consolidate", { asked, source });
    const told = await givingWay(checkSections(answer, whole, route, services.cues));
    sections.push(...told.sections);
    dropped += told.dropped;
    leftOut += source.leftOut;
  }
  return { model: { sections: sections.toSorted(byRoute), dropped }, leftOut };
}

function open(
  { onAlarm }: Services,
  key: SubjectKey,
  rows: readonly StandingObservation[],
): readonly OpenModelObservation[] {
  return rows.flatMap((row) => {
    const body = openObservation(row, key, onAlarm);
    if (body === null) return [];
    const { observationId: id, dimensionId: dimension, observedAt, isSafety, supersededBy } = row;
    const observation = { id, dimension, text: body.text, observedAt, isSafety, supersededBy };
    return [{ route: row.routeId, observation }];
  });
}

function of(route: RouteId, all: readonly OpenModelObservation[]): readonly ModelObservation[] {
  return all.filter((it) => it.route === route).map(({ observation }) => observation);
}

/** One order whatever was fresh last: a prompt cache holds what didn't change. */
function byRoute(a: ModelSection, b: ModelSection): number {
  if (a.route_id !== b.route_id) return a.route_id < b.route_id ? -1 : 1;
  return a.dimension < b.dimension ? -1 : 1;
}
