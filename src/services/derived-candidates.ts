import type { DerivedCandidate } from "../domain/assembly/candidate.js";
import { foldCandidates, stateCandidates } from "../domain/assembly/derived.js";
import { userModelCandidates } from "../domain/assembly/user-model-candidates.js";
import type { SubjectKey } from "../domain/keyring.js";
import type { Permit } from "../domain/permit.js";
import { FOLD, USER_MODEL } from "../domain/view.js";
import type { EventRow } from "../storage/queries/event-find.js";
import type { ObservationRow } from "../storage/queries/observation-list.js";
import {
  observedAtOf,
  readShownModel,
  type UserModelRow,
} from "../storage/queries/user-model-read.js";
import { evidenceFor, foldOf, openFacts, structuredState } from "./derived-views.js";
import type { Services } from "./services.js";
import { shownUserModel } from "./shown-user-model.js";

/** The reads of the views that a route lists. What it doesn't list reads none. */
export function viewReads(
  services: Services,
  permit: Permit<"assemble">,
  views: readonly string[],
) {
  const models = views.includes(USER_MODEL) ? readShownModel(permit) : null;
  return { models, ...evidenceFor(services, permit, views) };
}

interface ViewRows {
  readonly models: readonly UserModelRow[];
  readonly events: readonly EventRow[];
  /** For the fold alone. */
  readonly observations: readonly ObservationRow[];
}

/** The views of a person for a pack, in the order in which the route lists them. */
export async function derivedOf(
  services: Services,
  key: SubjectKey,
  views: readonly string[],
  { models, events, observations }: ViewRows,
): Promise<readonly DerivedCandidate[]> {
  const model = models.flatMap((row) => sectionsOf(services, key, row));
  const told = model.filter(({ rank }) => rank !== "surplus").flatMap(({ sources }) => sources);
  const facts = await openFacts(services, key, events);
  return views.flatMap((view) => {
    if (view === FOLD)
      return foldCandidates(foldOf(services, key, facts, observations), new Set(told));
    if (view === USER_MODEL) return model;
    const state = structuredState(services, view, facts);
    return state === null ? [] : stateCandidates(view, state);
  });
}

function sectionsOf(
  services: Services,
  key: SubjectKey,
  row: UserModelRow,
): readonly DerivedCandidate[] {
  const model = shownUserModel(services, row, key);
  return model === null ? [] : userModelCandidates(model.sections, observedAtOf(row));
}
