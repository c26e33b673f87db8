import type { RouteId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import {
  type ConsolidateSource,
  EMPTY_MODEL,
  type ModelObservation,
  type ModelSection,
  restingOn,
  type UserModel,
} from "../domain/user-model.js";
import { parseSections } from "../domain/user-model-rules.js";
import type { StandingObservation } from "../storage/queries/observation-list-to-consolidate.js";
import type { ViewRow } from "../storage/queries/view-read.js";
import type { Caller } from "./caller.js";
import { tokensOf, withinBudget } from "./model-budget.js";
import { openObservation } from "./observation-reading.js";
import type { Services } from "./services.js";
import { openView } from "./view-place.js";

interface Evidence {
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
 * stays what still rests on something.
 */
export async function modelOf(
  services: Services,
  caller: Caller,
  key: SubjectKey,
  { view, fresh, earlier }: Evidence,
): Promise<UserModel> {
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
  let dropped = 0;
  for (const route of routes) {
    const source = {
      sections: standing.filter(({ route_id }) => route_id === route),
      fresh: of(route, known.fresh),
      earlier: of(route, known.earlier),
    };
    const told = parseSections(await ask(services, caller, source), source, route);
    sections.push(...told.sections);
    dropped += told.dropped;
  }
  return { sections: sections.toSorted(byRoute), dropped };
}

/** Within the tenant's budget where it asks a language model. */
async function ask(
  services: Services,
  caller: Caller,
  source: ConsolidateSource,
): Promise<unknown> {
  const { consolidator } = services;
  if (consolidator.model === null) return await consolidator.ask(source, () => undefined);
  const texts = [
    ...source.fresh,
    ...source.earlier,
    ...source.sections.flatMap((it) => it.statements),
  ];
  const chars = texts.reduce((sum, { text }) => sum + text.length, 0);
  const asked = { task: "consolidate", tokens: tokensOf(chars) };
  return await withinBudget(services, caller, asked, (spent) => consolidator.ask(source, spent));
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
