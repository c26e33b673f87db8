import { type DimensionId, type ObservationId, type TurnId, trustedId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import { type ObservationBody, supersessions } from "../domain/observation.js";
import type { Permit } from "../domain/permit.js";
import { givingWay, type Steps } from "../domain/steps.js";
import { type Coverage, withLeftOut } from "../recall/outcome.js";
import type { Hit, SearchResult } from "../recall/search-result.js";
import { SubjectIndex } from "../recall/subject-index.js";
import { type Tense, tenseOf } from "../recall/tense.js";
import { decodeDerivedTerms } from "../recall/terms.js";
import type { ListedObservation, ObservationRow } from "../storage/queries/observation-list.js";
import { orAlarm } from "./integrity.js";
import { openObservation } from "./observation-reading.js";
import { observationTermsPlace } from "./observation-writing.js";
import { askedOf, quotedBy, type RecallNarrowing, recallFilter } from "./recall-filter.js";
import type { Services } from "./services.js";

export interface FoundObservation {
  readonly row: ObservationRow;
  readonly body: ObservationBody;
  readonly turnIds: readonly TurnId[];
  readonly observedAt: Date;
  readonly hit: Hit;
  /** The later one that corrects it. */
  readonly supersededBy: ObservationId | null;
  /** How often the same turn was found further down by another observation of the same dimension. */
  readonly repeats: number;
}

export interface FoundObservations {
  readonly observations: readonly FoundObservation[];
  readonly outcome: "matches" | "no_matches";
  readonly coverage: Coverage;
  readonly fallback: SearchResult["fallback"];
  readonly fit: SearchResult["fit"];
}

export interface ObservationSearch {
  readonly permit: Permit;
  readonly key: SubjectKey;
  readonly asked: RecallNarrowing & { readonly dimension?: DimensionId | undefined };
}

/** What a corrected observation counts beside those that stand, where the question doesn't say which it is after. */
const SUPERSEDED = 0.7;

/**
 * Ranks a subject's observations. They are read whole and indexed for the one search: nothing of them stays in memory.
 * A question for the present finds none that was corrected but dangers, marked; one for the past finds both alike.
 */
export async function searchObservations(
  services: Services,
  { permit, key, asked }: ObservationSearch,
  rows: readonly ListedObservation[],
): Promise<FoundObservations> {
  const superseded = supersessions(rows);
  const tense = tenseOf(asked.query, permit.scope.now);
  const index = new SubjectIndex();
  const { dimension, source_sessions: sessions, ...narrowing } = asked;
  const wanted = rows.filter(
    ({ dimensionId, sessionId, observationId, isSafety }) =>
      (dimension === undefined || dimensionId === dimension) &&
      (sessions?.includes(sessionId) ?? true) &&
      (isSafety || tense !== "present" || !superseded.has(observationId)),
  );
  await givingWay(takeEach(services, key, index, wanted));
  const filter = recallFilter(permit, narrowing, LIMITS.phraseCandidatesMax);
  const result = index.search(askedOf(asked), filter);
  const byId = new Map(rows.map((row) => [String(row.observationId), row]));
  const ranked = result.hits.flatMap((hit) => {
    const row = byId.get(String(hit.id));
    if (row === undefined) return [];
    const supersededBy = superseded.get(row.observationId) ?? null;
    return [
      { row, supersededBy, hit: supersededBy === null ? hit : asCorrected(hit, tense, asked) },
    ];
  });
  ranked.sort((a, b) => b.hit.score - a.hit.score);
  const observations = open(services, { key, asked }, ranked);
  const left = Math.max(0, (rows[0]?.of ?? 0) - rows.length);
  return {
    observations,
    outcome: observations.length > 0 ? "matches" : "no_matches",
    coverage: withLeftOut(result.coverage, left),
    fallback: result.fallback,
    fit: result.fit,
  };
}

/** What was corrected counts less, unless the question is for the past. */
export function asCorrected(hit: Hit, tense: Tense, { mode }: RecallNarrowing): Hit {
  if (tense === "past" || mode === "phrase" || hit.score === 0) return hit;
  return { ...hit, score: hit.score * SUPERSEDED, parts: { ...hit.parts, standing: SUPERSEDED } };
}

type Ranked = Pick<FoundObservation, "row" | "hit" | "supersededBy">;

/** Opens what is shown, one a source: another of the same dimension that rests on the same turn says it again. */
function open(
  { onAlarm }: Services,
  { key, asked }: Pick<ObservationSearch, "key" | "asked">,
  ranked: readonly Ranked[],
): readonly FoundObservation[] {
  const shown: FoundObservation[] = [];
  const says = quotedBy(asked);
  for (const { row, hit, supersededBy } of ranked) {
    const same = shown.findIndex((one) => isOneSource(one.row, row));
    const known = shown[same];
    if (known !== undefined) shown[same] = { ...known, repeats: known.repeats + 1 };
    if (known !== undefined || shown.length >= asked.limit) continue;
    const body = openObservation(row, key, onAlarm);
    if (body === null || says?.(body.text) === false) continue;
    const { turnIds, observedAt } = row;
    shown.push({ row, body, turnIds, observedAt, hit, supersededBy, repeats: 0 });
  }
  return shown;
}

function isOneSource(one: ObservationRow, other: ObservationRow): boolean {
  return (
    one.dimensionId === other.dimensionId &&
    one.supersedes !== other.observationId &&
    other.supersedes !== one.observationId &&
    one.turnIds.some((id) => other.turnIds.includes(id))
  );
}

function* takeEach(
  { onAlarm }: Services,
  key: SubjectKey,
  index: SubjectIndex,
  rows: readonly ObservationRow[],
): Steps<void> {
  for (const row of rows) {
    yield;
    const { observationId, sessionId, workspaceId, routeId, observedAt, expiresAt } = row;
    const sealed = orAlarm(onAlarm, () =>
      key.openTerms(observationTermsPlace(observationId, sessionId), row.termsSealed),
    );
    const terms = sealed === null ? null : decodeDerivedTerms(sealed);
    const indexed = {
      id: trustedId<"TurnId">(observationId),
      // No conversation: what was observed before or after it says nothing about it.
      sessionId: trustedId<"SessionId">(observationId),
      workspaceId,
      routeId,
      observedAt,
      seq: row.revision,
      speakerId: null,
      evidenceUntil: expiresAt,
    };
    if (terms === null) index.addPending(indexed);
    else index.add({ ...indexed, terms });
  }
}
