import {
  type DimensionId,
  type ObservationId,
  type RouteId,
  type RunId,
  type SpeakerId,
  trustedId,
} from "../domain/ids.js";
import type { Place, SubjectKey } from "../domain/keyring.js";
import type { ObservationBody, Observed } from "../domain/observation.js";
import type { Permit } from "../domain/permit.js";
import { foldQuote } from "../domain/quote.js";
import { analyseTurn } from "../recall/analyse.js";
import { encodeTerms } from "../recall/terms.js";
import { insertObservation } from "../storage/queries/observation-insert.js";
import { macUuid } from "./mac-uuid.js";

export interface ObservationToKeep {
  readonly observed: Observed;
  /** Last run of the route in the session. */
  readonly run: RunId;
  readonly routeId: RouteId;
  readonly speakerId: SpeakerId | null;
  /** Of the turns that it cites. */
  readonly observedAt: Date;
  readonly expiresAt: Date;
  /** Name of the model that worded it; null for a quote. */
  readonly model: string | null;
  /** What found it. */
  readonly madeBy: string;
}

/** Seals an observation with its search terms. */
export function writeObservation(
  permit: Permit,
  key: SubjectKey,
  { observed, run, routeId, speakerId, observedAt, expiresAt, model, madeBy }: ObservationToKeep,
): { readonly id: ObservationId; readonly statement: ReturnType<typeof insertObservation> } {
  const { text, quotes, said, dimension, basis, tier, isSafety, turnIds, supersedes } = observed;
  const workspaceId = permit.scope.workspace;
  const contentMac = observationMac(key, {
    routeId,
    dimensionId: dimension,
    turnIds,
    supersedes,
    text,
  });
  const content = Buffer.from(contentMac).toString("hex");
  const id = trustedId<"ObservationId">(
    macUuid(key.mac("observation", `${workspaceId}/${content}`)),
  );
  const standing = {
    observationId: id,
    sessionId: String(permit.scope.session),
    workspaceId,
    routeId,
    dimensionId: dimension,
    basis,
    tier,
    isSafety,
    turnIds,
    supersedes,
  };
  const body: ObservationBody = {
    text,
    quotes,
    said,
    model: basis === "quoted" ? null : model,
    made_by: madeBy,
  };
  const statement = insertObservation(permit, {
    ...standing,
    run,
    speakerId,
    contentMac,
    observedAt,
    expiresAt,
    bodySealed: key.seal(observationPlace(standing), JSON.stringify(body)),
    termsSealed: sealObservationTerms(key, standing, text, observedAt),
  });
  return { id, statement };
}

/**
 * By what the same observation is known: of one route, for what was said under another is no reason to leave it out, and of the
 * same turns, for who says it again once it has ended is heard again.
 */
export function observationMac(
  key: SubjectKey,
  said: {
    readonly routeId: RouteId;
    readonly dimensionId: DimensionId;
    readonly turnIds: readonly string[];
    readonly supersedes: ObservationId | null;
    readonly text: string;
  },
): Uint8Array {
  const { routeId, dimensionId, turnIds, supersedes, text } = said;
  const words = foldQuote(text).toLowerCase();
  const content = [routeId, dimensionId, turnIds.toSorted(), supersedes, words];
  return key.mac("observed", JSON.stringify(content));
}

export function sealObservationTerms(
  key: SubjectKey,
  { observationId, sessionId }: Pick<ObservationStanding, "observationId" | "sessionId">,
  text: string,
  observedAt: Date,
): Uint8Array {
  const terms = analyseTurn({ text, speaker: null, isDerived: true, observedAt });
  return key.sealTerms(observationTermsPlace(observationId, sessionId), encodeTerms(terms));
}

/** All of an observation that never changes. */
export interface ObservationStanding {
  readonly observationId: ObservationId;
  readonly sessionId: string;
  readonly workspaceId: string;
  readonly routeId: RouteId;
  readonly dimensionId: DimensionId;
  readonly basis: string;
  readonly tier: string;
  readonly isSafety: boolean;
  readonly turnIds: readonly string[];
  readonly supersedes: ObservationId | null;
}

/** An observation that was moved to another route, or given other turns, another tier or another one to correct, doesn't open. */
export function observationPlace(standing: ObservationStanding): Place {
  const { observationId, sessionId, workspaceId, routeId, dimensionId } = standing;
  const { basis, tier, isSafety, turnIds, supersedes } = standing;
  const from = [sessionId, workspaceId, routeId, dimensionId];
  return {
    table: "observation",
    column: "body_sealed",
    row: observationId,
    within: JSON.stringify([...from, basis, tier, isSafety, turnIds, supersedes]),
    version: 1,
  };
}

export function observationTermsPlace(observation: ObservationId, session: string): Place {
  return {
    table: "observation",
    column: "terms_sealed",
    row: observation,
    within: session,
    version: 1,
  };
}
