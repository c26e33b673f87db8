import { oneLine } from "../domain/assembly/one-line.js";
import { hoursAfter } from "../domain/clock.js";
import { DIGEST_PARTS, type Digest } from "../domain/digest.js";
import { type EpisodeId, trustedId } from "../domain/ids.js";
import type { Place, SubjectKey } from "../domain/keyring.js";
import type { Permit } from "../domain/permit.js";
import { analyseTurn } from "../recall/analyse.js";
import { encodeTerms } from "../recall/terms.js";
import { insertEpisode, type NewEpisode } from "../storage/queries/episode-insert.js";
import type { Statement } from "../storage/sql.js";
import type { Conversation } from "./conversations.js";
import { macUuid } from "./mac-uuid.js";
import type { Services } from "./services.js";

interface Written {
  readonly id: EpisodeId;
  readonly statement: Statement;
}

interface EpisodeToKeep {
  readonly conversation: Conversation;
  readonly digest: Digest;
  readonly origin: NewEpisode["origin"];
  readonly dataClass: string | null;
  /** What it is made of: the same again is the same episode. */
  readonly name: string;
}

/** Seals an episode with its search terms. */
export function writeEpisode(
  { retention }: Services,
  permit: Permit,
  key: SubjectKey,
  { conversation, digest, origin, dataClass, name }: EpisodeToKeep,
): Written {
  const id = trustedId<"EpisodeId">(macUuid(key.mac("episode", name)));
  const { routeId, run, outcome, observedAt } = conversation;
  const standing = {
    episodeId: id,
    sessionId: String(permit.scope.session),
    workspaceId: permit.scope.workspace,
    routeId,
    outcome,
  };
  const terms = analyseTurn({
    text: digestText(digest),
    speaker: null,
    isDerived: true,
    observedAt,
  });
  const cited = DIGEST_PARTS.flatMap((part) => digest[part].flatMap((entry) => entry.turn_ids));
  const statement = insertEpisode(permit, {
    episodeId: id,
    run,
    routeId,
    dataClass,
    origin,
    outcome,
    turnIds: [...new Set(cited)],
    observedAt,
    expiresAt: hoursAfter(permit.scope.now, retention.episodeDays * 24),
    summarySealed: key.seal(episodePlace(standing), JSON.stringify(digest)),
    termsSealed: key.sealTerms(episodeTermsPlace(id, standing.sessionId), encodeTerms(terms)),
  });
  return { id, statement };
}

/** A digest as it is searched and shown: its statements, each under what it is. */
export function digestText(digest: Digest): string {
  return DIGEST_PARTS.flatMap((part) =>
    digest[part].map(({ text }) => `${part.replace("_", " ").replace(/s$/, "")}: ${oneLine(text)}`),
  ).join("\n");
}

export interface EpisodeStanding {
  readonly episodeId: EpisodeId;
  readonly sessionId: string;
  readonly workspaceId: string;
  readonly routeId: string;
  readonly outcome: string;
}

/** An episode that was moved to another session, workspace or route, or given another outcome, doesn't open. */
export function episodePlace(standing: EpisodeStanding): Place {
  const { episodeId, sessionId, workspaceId, routeId, outcome } = standing;
  return {
    table: "episode",
    column: "summary_sealed",
    row: episodeId,
    within: JSON.stringify([sessionId, workspaceId, routeId, outcome]),
    version: 1,
  };
}

export function episodeTermsPlace(episode: EpisodeId, session: string): Place {
  return { table: "episode", column: "terms_sealed", row: episode, within: session, version: 1 };
}
