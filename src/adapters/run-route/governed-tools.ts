import type * as body from "../../services/bodies.js";
import type { AppendEpisodeBody } from "../../services/episodic-bodies.js";
import type { UpsertPreferenceBody } from "../../services/field-bodies.js";
import type { ObservationHitReply, SourcedHitReply } from "../../services/observation-hits.js";
import type { RecallObservationsBody, RecallTurnsBody } from "../../services/recall-bodies.js";
import type { EpisodeHitReply } from "../../services/recall-episodes.js";
import type { RecallHitReply, RecallReply } from "../../services/recall-turns.js";
import type { Input } from "./capability.js";
import type { RunMemory } from "./memory.js";

/** What a tool answered, as the model is told. */
export type ToolAnswer =
  | { readonly output: unknown }
  /** Quoted memory: never stored with the loop, asked for again instead. */
  | { readonly recalled: unknown }
  | { readonly error: string; readonly message: string };

type Call = (memory: RunMemory, runId: string, input: Input) => Promise<ToolAnswer>;

// INVARIANT: a model's arguments go to the service as they are. It parses them strictly, decides and audits.

/** Tools whose calls are operations of the memory. Whether a run may use one is the service's to say, each time. */
export const GOVERNED_TOOLS: ReadonlyMap<string, Call> = new Map<string, Call>([
  [
    "recall_turns",
    async (memory, runId, input) => ({
      recalled: shownHits(await memory.recallTurns(runId, input as unknown as RecallTurnsBody)),
    }),
  ],
  [
    "recall_episodes",
    async (memory, runId, input) => {
      const { outcome, hits, next_step } = await memory.recallEpisodes(
        runId,
        input as unknown as RecallTurnsBody,
      );
      return { recalled: { outcome, next_step, hits: hits.map(shownEpisode) } };
    },
  ],
  [
    "recall_observations",
    async (memory, runId, input) => {
      const { outcome, hits, next_step } = await memory.recallObservations(
        runId,
        input as unknown as RecallObservationsBody,
      );
      return { recalled: { outcome, next_step, hits: hits.map(shownSource) } };
    },
  ],
  [
    "append_episode",
    async (memory, runId, input) => {
      const { decision: _, ...appended } = await memory.appendEpisode(
        runId,
        input as unknown as AppendEpisodeBody,
      );
      return { output: appended };
    },
  ],
  [
    "search_corpus",
    async (memory, runId, input) => {
      const { outcome, passages, refuse, next_step } = await memory.searchCorpus(
        runId,
        input as unknown as body.SearchCorpusBody,
      );
      return { output: { outcome, passages, refuse, next_step } };
    },
  ],
  [
    "upsert_preference",
    async (memory, runId, input) => {
      const { decision: _, ...filed } = await memory.upsertPreference(
        runId,
        input as unknown as UpsertPreferenceBody,
      );
      return { output: filed };
    },
  ],
]);

function shownEpisode({ summary, outcome, observed_at, source }: EpisodeHitReply): unknown {
  return { quoted: summary, outcome, observed_at, route: source.source_route_id };
}

function shownSource(hit: ObservationHitReply | SourcedHitReply): unknown {
  if (hit.kind === "turn")
    return {
      ...shownTurn(hit),
      observed: hit.derived.map(({ dimension, text, tier }) => ({ dimension, text, tier })),
      is_superseded: hit.superseded_by !== null,
    };
  const { dimension, text, basis, tier, speaker, observed_at, source } = hit;
  return {
    observed: text,
    dimension,
    basis,
    tier,
    speaker,
    observed_at,
    route: source.route_id,
    is_superseded: hit.superseded_by !== null,
    quoted: hit.quotes.map((quote) => quote.text),
  };
}

/** Of what was found, what a model needs: text with its source, never ids that it could ask by. */
function shownHits({ outcome, hits, next_step }: RecallReply): unknown {
  return {
    outcome,
    next_step,
    hits: hits.map(shownTurn),
  };
}

function shownTurn({ text, role, speaker, observed_at, source }: RecallHitReply): object {
  return { quoted: text, role, speaker, observed_at, route: source.route_id };
}
