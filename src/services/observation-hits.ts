import type { TurnId } from "../domain/ids.js";
import type { ObservationBasis, ObservationTier, Quote } from "../domain/observation.js";
import { whyAbove } from "../recall/explain.js";
import { type Matcher, matcherOf } from "../recall/match.js";
import type { Merged } from "../recall/merge-sources.js";
import type { Hit } from "../recall/search-result.js";
import { type Snippet, snippetOf } from "../recall/snippet.js";
import type { FoundObservation } from "./observation-search.js";
import { type RecallHitReply, turnHitReply } from "./recall-turns.js";
import type { StandingTurn } from "./standing-turns.js";
import type { OpenTurn } from "./turn-reading.js";

/** What was observed, without its place in a list. */
export interface ObservedReply {
  readonly observation_id: string;
  readonly dimension: string;
  readonly text: string;
  /** `quoted`: the person's own sentence; `generated`: a model's words about it, by `model`. */
  readonly basis: ObservationBasis;
  readonly model: string | null;
  /** What found it: a model, or the built-in observer with the versions of its cues; null where it isn't known. */
  readonly made_by: string | null;
  /** `reported`: the person said it about themselves; `inferred`: somebody else did, or it goes beyond their words. */
  readonly tier: ObservationTier;
  readonly is_safety: boolean;
  readonly observed_at: string;
  readonly recorded_at: string;
  /** The later observation that corrects it, and the earlier one that it corrects. */
  readonly superseded_by: string | null;
  readonly supersedes: string | null;
}

/** Words that an observation was made of, as they were said. */
export interface QuoteReply {
  readonly turn_id: string;
  readonly text: string;
  readonly role: string;
  readonly speaker: string | null;
  readonly observed_at: string;
}

export interface ObservationHitReply extends ObservedReply {
  readonly kind: "observation";
  /** Who said what it rests on; null where nobody is named. */
  readonly speaker: string | null;
  /** Never empty. */
  readonly quotes: readonly QuoteReply[];
  readonly score: number;
  readonly why: Readonly<Record<string, number>>;
  readonly above_next_by: string | null;
  readonly snippet: Snippet;
  /** How often the same was found further down, observed otherwise: it is no surer for that. */
  readonly repeats: number;
  readonly source: {
    readonly turn_ids: readonly string[];
    readonly session_id: string;
    readonly run_id: string;
    readonly route_id: string;
  };
}

/** A turn, with what was made of it and found too. */
export interface SourcedHitReply extends RecallHitReply {
  readonly kind: "turn";
  readonly derived: readonly ObservedReply[];
  /** The observation that corrects all that was observed of it. */
  readonly superseded_by: string | null;
}

export type FoundSource = Merged<StandingTurn, FoundObservation>;

/** Turns whose words are shown with the observations that were found. */
export function quotedIds(hits: readonly FoundSource[]): readonly TurnId[] {
  const quotes = hits.flatMap((hit) => (hit.kind === "observation" ? hit.one.body.quotes : []));
  return [...new Set(quotes.map(({ turn_id }) => turn_id))];
}

/** INVARIANT: an observation is shown with all that it quotes, or not at all. */
export function hitReplies(
  hits: readonly FoundSource[],
  turns: readonly OpenTurn[],
  query: string,
): readonly (ObservationHitReply | SourcedHitReply)[] {
  const byId = new Map(turns.map((turn) => [turn.row.turnId, turn]));
  const matchesIn = matcherOf(query);
  return hits.flatMap((found, at): readonly (ObservationHitReply | SourcedHitReply)[] => {
    const next = hits[at + 1]?.hit;
    if (found.kind === "turn") return [turnReply(found, next, matchesIn)];
    const quotes = quotesOf(found.one.body.quotes, byId);
    return quotes === null ? [] : [observationReply(found, quotes, next, matchesIn)];
  });
}

function turnReply(
  { one, hit, derived }: Extract<FoundSource, { kind: "turn" }>,
  next: Hit | undefined,
  matchesIn: Matcher,
): SourcedHitReply {
  return {
    kind: "turn",
    ...turnHitReply({ ...one, hit }, next, matchesIn),
    derived: derived.map(observedReply),
    superseded_by: one.supersededBy,
  };
}

function observationReply(
  { one, hit }: Extract<FoundSource, { kind: "observation" }>,
  quotes: readonly QuoteReply[],
  next: Hit | undefined,
  matchesIn: Matcher,
): ObservationHitReply {
  const { row, body, repeats } = one;
  return {
    kind: "observation",
    ...observedReply(one),
    speaker: quotes.find(({ role }) => role === "user")?.speaker ?? null,
    quotes,
    score: hit.score,
    why: hit.parts,
    above_next_by: whyAbove(hit, next),
    snippet: snippetOf(body.text, hit.language, matchesIn),
    repeats,
    source: {
      turn_ids: row.turnIds,
      session_id: row.sessionId,
      run_id: row.runId,
      route_id: row.routeId,
    },
  };
}

function observedReply({ row, body, supersededBy }: FoundObservation): ObservedReply {
  return {
    observation_id: row.observationId,
    dimension: row.dimensionId,
    text: body.text,
    basis: row.basis,
    model: body.model,
    made_by: body.made_by ?? null,
    tier: row.tier,
    is_safety: row.isSafety,
    observed_at: row.observedAt.toISOString(),
    recorded_at: row.recordedAt.toISOString(),
    superseded_by: supersededBy,
    supersedes: row.supersedes,
  };
}

/** Null where one of the turns isn't evidence any more, or doesn't say that. */
function quotesOf(
  quotes: readonly Quote[],
  turns: ReadonlyMap<string, OpenTurn>,
): readonly QuoteReply[] | null {
  const read = quotes.flatMap(({ turn_id, start, end }): readonly QuoteReply[] => {
    const turn = turns.get(turn_id);
    if (turn === undefined || end > turn.content.text.length) return [];
    const { content, role, speaker, row } = turn;
    const text = content.text.slice(start, end);
    return [{ turn_id, text, role, speaker, observed_at: row.observedAt.toISOString() }];
  });
  return read.length === quotes.length ? read : null;
}
