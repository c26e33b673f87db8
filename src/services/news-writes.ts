import type { SubjectKey } from "../domain/keyring.js";
import { endOfObservation } from "../domain/observation-end.js";
import { newsBeside } from "../domain/observation-news.js";
import { madeByQuotes } from "../domain/observe-extract.js";
import type { Permit } from "../domain/permit.js";
import { endCorrected } from "../storage/queries/observation-end.js";
import type { ObservationRow } from "../storage/queries/observation-list.js";
import type { Answered } from "./observation-answer.js";
import { knownObservations, openObservations } from "./observation-reading.js";
import { writeObservation } from "./observation-writing.js";
import { standingOf } from "./observed-turns.js";
import type { Operation } from "./operation.js";

/** What is still news beside what was kept while the observer thought, and how much of it has had its time. */
export function newsWrites(
  { services, now }: Operation<"observe_session">,
  permit: Permit<"observe_session">,
  key: SubjectKey,
  answer: Answered | null,
  { before, late }: Record<"before" | "late", readonly ObservationRow[]>,
) {
  if (answer === null) return { statements: [], ends: [], expired: 0 };
  const { route, observed } = answer;
  const { turns, known } = route.source;
  const kept = openObservations(late, key, services.onAlarm);
  const since = knownObservations(kept.filter(({ row }) => row.routeId === route.routeId));
  const asNews = newsBeside({ turns, known: [...since, ...known] });
  const dangers = new Map(
    [...before, ...late].flatMap((row) =>
      row.isSafety ? [[row.observationId, row.expiresAt] as const] : [],
    ),
  );
  const news = observed.flatMap((given) => {
    const one = asNews(given);
    if (one === null) return [];
    const { saidAt, evidenceUntil, ...standing } = standingOf(route, one, now);
    const danger = one.supersedes === null ? undefined : dangers.get(one.supersedes);
    const { observationDays } = services.retention;
    const expiresAt = endOfObservation({ saidAt, evidenceUntil }, observationDays, danger);
    return [{ ...standing, observed: one, expiresAt }];
  });
  const standing = news.filter(({ expiresAt }) => expiresAt > now);
  const statements = standing.map((one) => {
    const { run, routeId } = route;
    const { model } = services.observer;
    const madeBy = model ?? madeByQuotes(services.cues);
    return writeObservation(permit, key, { ...one, run, routeId, model, madeBy }).statement;
  });
  // One that has had its time took back what it corrects all the same.
  const ends = news.flatMap(({ observed: { supersedes }, expiresAt }) =>
    supersedes === null ? [] : [endCorrected(permit, supersedes, expiresAt)],
  );
  return { statements, ends, expired: news.length - standing.length };
}
