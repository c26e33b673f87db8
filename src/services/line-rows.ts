import type { LineRow } from "../domain/assembly/diagnose.js";
import type { EpisodeRow } from "../storage/queries/episode-list.js";
import type { ObservationRow } from "../storage/queries/observation-list.js";
import type { PromotionLogRow } from "../storage/queries/promotion-find.js";
import type { RunRow } from "../storage/queries/run-read.js";
import type { TurnOrigin } from "../storage/queries/turn-find-origins.js";
import type { WorkingRow } from "../storage/queries/working-list-by-run.js";

type SummaryRow = Pick<EpisodeRow | ObservationRow, "recordedAt" | "sessionId" | "routeId"> & {
  readonly memory: "episode" | "observation";
};

interface KnownRows {
  /** Newest first. */
  readonly promotions: readonly PromotionLogRow[];
  readonly turns: ReadonlyMap<string, TurnOrigin>;
  readonly summaries: ReadonlyMap<string, SummaryRow>;
  readonly working: ReadonlyMap<string, Date>;
}

interface ReadRows extends Pick<KnownRows, "promotions"> {
  readonly working: readonly WorkingRow[];
  readonly origins: readonly TurnOrigin[];
  readonly episodes: readonly EpisodeRow[];
  readonly observations: readonly ObservationRow[];
}

/** The rows behind the lines of a pack, by what the pack calls them. */
export function knownRows(
  run: RunRow,
  { working, origins, episodes, observations, promotions }: ReadRows,
): KnownRows {
  return {
    turns: new Map(origins.map((origin) => [origin.turnId, origin])),
    promotions,
    summaries: new Map<string, SummaryRow>([
      ...episodes.map((row) => [row.episodeId, { ...row, memory: "episode" }] as const),
      ...observations.map((row) => [row.observationId, { ...row, memory: "observation" }] as const),
    ]),
    working: new Map<string, Date>([
      ["goal", run.createdAt],
      ...working.map((row) => [sourceOf(row.class, row.key), row.recordedAt] as const),
    ]),
  };
}

/** The row that a line was put from; null for one that is gone. */
export function rowOf(source: string, known: KnownRows): LineRow | null {
  const turn = known.turns.get(source);
  if (turn !== undefined) {
    const { recordedAt, sessionId: session, runId: run, routeId: route, role } = turn;
    return { memory: "turn", recordedAt, session, run, route, role };
  }
  const summary = known.summaries.get(source);
  if (summary !== undefined) {
    const { memory, recordedAt, sessionId: session, routeId: route } = summary;
    return { memory, recordedAt, session, route };
  }
  const promotion = known.promotions.find(({ promotionId }) => promotionId === source);
  if (promotion !== undefined) return promotedRow(promotion, known.promotions);
  const recordedAt = known.working.get(source);
  return recordedAt === undefined ? null : { memory: "working", recordedAt };
}

function promotedRow(row: PromotionLogRow, log: readonly PromotionLogRow[]): LineRow {
  const { recordedAt, fieldId: field, version, path, rule, source: from, sessionKey } = row;
  const superseded = log.some(
    (one) => one.fieldId === field && one.sessionKey === sessionKey && one.version > version,
  );
  return { memory: "store", recordedAt, field, version, path, rule, from, superseded };
}

/** How a pack names a row of working memory: a kind with one row goes by its kind alone. */
export function sourceOf(kind: string, key: string): string {
  return key === kind ? kind : `${kind}:${key}`;
}
