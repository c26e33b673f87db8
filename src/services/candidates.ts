import type {
  Candidates,
  EpisodeCandidate,
  FieldCandidate,
  ObservationCandidate,
  RecalledCandidate,
  TurnCandidate,
  WorkingCandidate,
} from "../domain/assembly/candidate.js";
import { isReadBy } from "../domain/field.js";
import { trustedId } from "../domain/ids.js";
import type { FoundEpisode } from "./episode-search.js";
import { digestText } from "./episode-writing.js";
import type { FoundTurn } from "./evidence-opening.js";
import type { FoundObservation } from "./observation-search.js";
import { type OpenField, openFields } from "./open-fields.js";
import { goalPlace } from "./pinning.js";
import type { PinnedRun } from "./pins.js";
import type { Remembered } from "./remembered.js";
import type { Services } from "./services.js";
import { observedAlone } from "./standing-turns.js";
import { type OpenTurn, openTurns } from "./turn-reading.js";
import { type OpenWorking, openWorking } from "./working-values.js";

/** Opens what was read and lays it out for assembly. */
export function gather(
  services: Services,
  { pin, key }: PinnedRun,
  { row, working, turns, fields, derived, found, episodes, observed }: Remembered,
): Candidates {
  const goal: WorkingCandidate = {
    kind: "goal",
    key: "goal",
    text: key.open(goalPlace(pin.run, pin.session), row.goalSealed),
    recordedAt: row.createdAt,
  };
  return {
    working: [goal, ...openWorking(working, key, services.onAlarm).map(toWorking)],
    fields: openFields(fields, key, services.onAlarm)
      .filter(({ row: { definition } }) => isReadBy(definition, pin.routeId))
      .map(toField),
    derived,
    turns: openTurns(turns.toReversed(), key, services.onAlarm).map(toTurn),
    recalled: (found?.turns ?? []).map(toRecalled),
    episodes: (episodes?.episodes ?? []).map(toEpisode),
    observations: observedAlone(observed, found).map(toObservation),
  };
}

function toField({ row, value, updatedBy, key, fits }: OpenField): FieldCandidate {
  return {
    kind: row.definition.class === "preference" ? "preference" : "field",
    fieldId: row.fieldId,
    promotionId: row.promotionId,
    version: row.version,
    text: typeof value === "string" ? value : JSON.stringify(value),
    key,
    source: row.source,
    updatedBy,
    updatedAt: row.updatedAt,
    fits,
  };
}

function toWorking(item: OpenWorking): WorkingCandidate {
  return { kind: item.class, key: item.key, text: textOf(item), recordedAt: item.recordedAt };
}

function textOf({ class: kind, value }: OpenWorking): string {
  if (typeof value === "string") return value;
  if (kind === "criterion") {
    const { criterion_id, version } = value as { criterion_id: string; version: number };
    return `${criterion_id} version ${version}`;
  }
  if (kind === "scratch") {
    const { ref, label } = value as { ref: string; label?: string };
    return label === undefined ? ref : `${ref} (${label})`;
  }
  return JSON.stringify(value);
}

function said({ row, role, content, speaker }: OpenTurn) {
  return {
    turnId: row.turnId,
    seq: row.seq,
    role,
    text: content.text,
    observedAt: row.observedAt,
    ...(speaker === null ? {} : { speaker }),
  };
}

function toTurn(turn: OpenTurn): TurnCandidate {
  const { call_id, tool } = turn.content;
  return {
    ...said(turn),
    ...(call_id === undefined ? {} : { callId: call_id }),
    ...(tool === undefined ? {} : { tool }),
  };
}

function toRecalled({ turn, hit }: FoundTurn): RecalledCandidate {
  return {
    ...said(turn),
    session: trustedId<"SessionId">(turn.row.sessionId),
    routeId: turn.row.routeId,
    score: hit.score,
  };
}

function toEpisode({ row, digest, hit }: FoundEpisode): EpisodeCandidate {
  return {
    episodeId: row.episodeId,
    routeId: row.routeId,
    outcome: row.outcome,
    text: digestText(digest),
    observedAt: row.observedAt,
    score: hit.score,
  };
}

function toObservation({ row, body, hit, supersededBy }: FoundObservation): ObservationCandidate {
  return {
    observationId: row.observationId,
    turnIds: row.turnIds,
    routeId: row.routeId,
    dimension: row.dimensionId,
    tier: row.tier,
    text: body.text,
    observedAt: row.observedAt,
    isSuperseded: supersededBy !== null,
    score: hit.score,
  };
}
