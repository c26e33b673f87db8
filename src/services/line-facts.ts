import type { LineFacts } from "../domain/assembly/diagnose.js";
import type { ManifestEntry } from "../domain/assembly/pack.js";
import { type Pasteable, pastedInto } from "../domain/assembly/paste.js";
import { DIGEST_PARTS, type Digest } from "../domain/digest.js";
import { isUuid, type TurnId, trustedId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import { listRecalls, type RecallRow } from "../storage/queries/audit-list-recalls.js";
import { listWrites } from "../storage/queries/audit-list-writes.js";
import { type EpisodeRow, listEpisodes } from "../storage/queries/episode-list.js";
import { listObservations, type ObservationRow } from "../storage/queries/observation-list.js";
import type { PackRow } from "../storage/queries/pack-find.js";
import { listPromotions } from "../storage/queries/promotion-find.js";
import type { RunRow } from "../storage/queries/run-read.js";
import { findTurnOrigins } from "../storage/queries/turn-find-origins.js";
import { listTurnsBySession, type TurnRow } from "../storage/queries/turn-list-by-session.js";
import { type EvidenceRow, listEvidence } from "../storage/queries/turn-list-evidence.js";
import { listWorkingByRun, type WorkingRow } from "../storage/queries/working-list-by-run.js";
import type { Transaction } from "../storage/store.js";
import { openEpisode } from "./episode-search.js";
import { knownRows, rowOf, sourceOf } from "./line-rows.js";
import { putOf } from "./line-writes.js";
import { openObservations } from "./observation-reading.js";
import type { PinnedRun } from "./pins.js";
import type { Services } from "./services.js";
import { openTurns } from "./turn-reading.js";
import { openWorking } from "./working-values.js";

export interface NumberedLine {
  /** Its place among the pack's entries, from 1. */
  readonly line: number;
  readonly entry: ManifestEntry;
}

interface Asked {
  readonly pack: PackRow;
  readonly run: RunRow;
  readonly wanted: readonly NumberedLine[];
}

/** What the rows and the audit trail say of a line. */
export interface KnownLine
  extends NumberedLine,
    Pick<LineFacts, "row" | "put" | "pastedTurns" | "pastedEpisodes" | "pastedObservations"> {}

/** Later recalls that a slow look back is spared. */
const NEWER_THAN_ALL = Number.MAX_SAFE_INTEGER;

/**
 * Collects what is known of lines: their rows, the audit rows of the writes that put them there, and whether they hold a
 * copy of what the run had recalled. Texts are opened for that comparison and go no further.
 */
export async function readLineFacts(
  services: Services,
  tx: Transaction,
  permit: Permit,
  { key }: PinnedRun,
  { run, wanted }: Asked,
): Promise<readonly KnownLine[]> {
  const cited = wanted.flatMap(({ entry }) => turnIds(entry.source));
  const [working, turns, origins, recalls, episodes, observations, promotions] = await tx.send([
    listWorkingByRun(permit, LIMITS.workingRowsMax),
    listTurnsBySession(permit, LIMITS.assemblyTurnsMax, null),
    findTurnOrigins(permit, cited),
    listRecalls(permit, LIMITS.pageRowsMax),
    listEpisodes(permit, LIMITS.episodesComparedMax),
    listObservations(permit, LIMITS.observationsSearchedMax),
    listPromotions(permit, { fieldId: null, before: null, limit: LIMITS.pageRowsMax }),
  ]);
  const known = knownRows(run, { working, origins, episodes, observations, promotions });
  const rows = wanted.map(({ entry }) => rowOf(entry.source[0] ?? "", known));
  const moments = rows.flatMap((row) => (row === null ? [] : [row.recordedAt]));
  const ids = recalledIds(recalls);
  const [writes, evidence] = await tx.send([
    listWrites(permit, moments, LIMITS.workingRowsMax),
    listEvidence(permit, { ids: ids.turns, newerThan: NEWER_THAN_ALL, newerMax: 0 }),
  ]);
  const recalled = recalledTexts(services, key, ids, { evidence, episodes, observations });
  const texts = textsOf(services, key, working, turns);
  return wanted.map((one, index) => {
    const source = one.entry.source[0] ?? "";
    const row = rows[index] ?? null;
    const text = one.entry.layer === "working" ? (texts.get(source) ?? "") : "";
    return {
      ...one,
      row,
      put: putOf(row, source, writes),
      pastedTurns: pastedInto(text, recalled.turns).filter((id) => id !== source),
      pastedEpisodes: [...new Set(pastedInto(text, recalled.episodes))],
      pastedObservations: pastedInto(text, recalled.observations),
    };
  });
}

interface RecalledRows {
  readonly evidence: readonly EvidenceRow[];
  readonly episodes: readonly EpisodeRow[];
  readonly observations: readonly ObservationRow[];
}

/** What a copy may be of, opened. */
function recalledTexts(
  services: Services,
  key: SubjectKey,
  ids: RecalledIds,
  { evidence, episodes, observations }: RecalledRows,
): Record<"turns" | "episodes" | "observations", readonly Pasteable[]> {
  const { onAlarm } = services;
  const observed = observations.filter(({ observationId }) => ids.observations.has(observationId));
  return {
    turns: openTurns(evidence, key, onAlarm).map(({ row, content }) => ({
      id: String(row.turnId),
      text: content.text,
    })),
    episodes: episodes
      .filter(({ episodeId }) => ids.episodes.has(episodeId))
      .flatMap((row) => entriesOf(row.episodeId, openEpisode(services, row, key))),
    observations: openObservations(observed, key, onAlarm).map(({ row, body }) => ({
      id: String(row.observationId),
      text: body.text,
    })),
  };
}

/** Texts in which a copy may stand, as a pack names their rows. */
function textsOf(
  { onAlarm }: Services,
  key: SubjectKey,
  working: readonly WorkingRow[],
  turns: readonly TurnRow[],
): ReadonlyMap<string, string> {
  return new Map<string, string>([
    ...openWorking(working, key, onAlarm).map(
      (item) => [sourceOf(item.class, item.key), JSON.stringify(item.value)] as const,
    ),
    // What a person says again isn't a copy.
    ...openTurns(turns, key, onAlarm)
      .filter(({ role }) => role !== "user")
      .map(({ row, content }) => [row.turnId, content.text] as const),
  ]);
}

function entriesOf(id: string, digest: Digest | null): readonly Pasteable[] {
  if (digest === null) return [];
  return DIGEST_PARTS.flatMap((part) => digest[part]).map(({ text }) => ({ id, text }));
}

function turnIds(source: readonly string[]): readonly TurnId[] {
  return source.filter(isUuid).map((id) => trustedId<"TurnId">(id));
}

interface RecalledIds {
  readonly turns: readonly TurnId[];
  readonly episodes: ReadonlySet<string>;
  readonly observations: ReadonlySet<string>;
}

/** What the run has recalled. In a pack's row `turn` is the session's own conversation. */
function recalledIds(recalls: readonly RecallRow[]): RecalledIds {
  const idsOf = (wanted: (operation: RecallRow["operation"], kind: string) => boolean) =>
    recalls.flatMap(({ operation, reads }) =>
      reads.filter(({ kind }) => wanted(operation, kind)).flatMap(({ ids }) => ids),
    );
  const turns = idsOf(
    (operation, kind) => kind === (operation === "assemble" ? "recalled" : "turn"),
  );
  return {
    turns: [...new Set(turnIds(turns))].slice(0, LIMITS.pageRowsMax),
    episodes: new Set(idsOf((_, kind) => kind === "episode")),
    observations: new Set(idsOf((_, kind) => kind === "observation")),
  };
}
