import type { SearchCorpusBody } from "../../services/bodies.js";
import type { AppendEpisodeBody } from "../../services/episodic-bodies.js";
import type { UpsertPreferenceBody } from "../../services/field-bodies.js";
import type { ObservationHitReply, SourcedHitReply } from "../../services/observation-hits.js";
import type { RecallObservationsBody, RecallTurnsBody } from "../../services/recall-bodies.js";
import type { EpisodeHitReply } from "../../services/recall-episodes.js";
import type { RecallHitReply } from "../../services/recall-turns.js";
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
    toolOf(
      (memory, run, asked: RecallTurnsBody) => memory.recallTurns(run, asked),
      quoting(shownTurn),
    ),
  ],
  [
    "recall_episodes",
    toolOf(
      (memory, run, asked: RecallTurnsBody) => memory.recallEpisodes(run, asked),
      quoting(shownEpisode),
    ),
  ],
  [
    "recall_observations",
    toolOf(
      (memory, run, asked: RecallObservationsBody) => memory.recallObservations(run, asked),
      quoting(shownSource),
    ),
  ],
  [
    "append_episode",
    toolOf(
      (memory, run, episode: AppendEpisodeBody) => memory.appendEpisode(run, episode),
      ({ decision: _, ...appended }) => ({ output: appended }),
    ),
  ],
  [
    "search_corpus",
    toolOf(
      (memory, run, asked: SearchCorpusBody) => memory.searchCorpus(run, asked),
      ({ outcome, passages, refuse, next_step }) => ({
        output: { outcome, passages, refuse, next_step },
      }),
    ),
  ],
  [
    "upsert_preference",
    toolOf(
      (memory, run, proposal: UpsertPreferenceBody) => memory.upsertPreference(run, proposal),
      ({ decision: _, ...filed }) => ({ output: filed }),
    ),
  ],
]);

function toolOf<Body, Reply>(
  call: (memory: RunMemory, runId: string, body: Body) => Promise<Reply>,
  answer: (reply: Reply) => ToolAnswer,
): Call {
  return async (memory, runId, input) =>
    answer(await call(memory, runId, input as unknown as Body));
}

interface RecallReplyOf<Hit> {
  readonly outcome: string;
  readonly hits: readonly Hit[];
  readonly next_step: unknown;
}

/** Of what was found, what a model needs: text with its source, never ids that it could ask by. */
function quoting<Hit>(shown: (hit: Hit) => unknown) {
  return ({ outcome, hits, next_step }: RecallReplyOf<Hit>): ToolAnswer => ({
    recalled: { outcome, next_step, hits: hits.map((hit) => shown(hit)) },
  });
}

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

function shownTurn({ text, role, speaker, observed_at, source }: RecallHitReply): object {
  return { quoted: text, role, speaker, observed_at, route: source.route_id };
}
