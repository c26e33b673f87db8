import { z } from "zod";
import { DIGEST_PARTS } from "../../domain/digest.js";
import { refusedInEpisode } from "../../domain/digest-rules.js";
import { invalid } from "../../domain/fields.js";
import { isUuid } from "../../domain/ids.js";
import { LIMITS } from "../../domain/limits.js";
import type { ObservationBody } from "../../domain/observation.js";
import { refusedInObservation } from "../../domain/observation-refusals.js";
import type { TurnContent } from "../../domain/turn.js";
import { analyseTurn } from "../../recall/analyse.js";
import { encodeTerms } from "../../recall/terms.js";
import type { ArchivedRow } from "../../storage/archive/archived-table.js";
import { EPISODE, OBSERVATION, TRACE, TURN } from "../../storage/archive/memory-tables.js";
import { digestText, episodePlace, episodeTermsPlace } from "../episode-writing.js";
import { anyText, externalId, parseInput, text } from "../inputs/parse.js";
import { traceInput } from "../inputs/trace.js";
import { turnInput } from "../inputs/turn.js";
import {
  type ObservationStanding,
  observationMac,
  observationPlace,
  sealObservationTerms,
} from "../observation-writing.js";
import { tracePlace } from "../run-traces.js";
import { refuseText, termsPlace, turnPlace } from "../turn-writing.js";
import type { Codec } from "./codec.js";

const turnStanding = (row: ArchivedRow) =>
  ({
    turnId: row.turn_id,
    sessionId: row.session_id,
    runId: row.run_id,
    workspaceId: row.workspace_id,
    routeId: row.route_id,
    role: row.role,
    evidenceUntil: row.evidence_until,
  }) as Parameters<typeof turnPlace>[0];

/** What may stand in a turn of a role is its door's to say. */
const asTurn = z.strictObject({ content: turnInput });

const TURNS: Codec = {
  kind: "turn",
  table: TURN,
  places: (row) => ({ content_sealed: turnPlace(turnStanding(row)) }),
  contents: {
    content: z.strictObject({
      text: anyText(LIMITS.turnCharsMax),
      tool: externalId.optional(),
      call_id: externalId.optional(),
      speaker_is_subject: z.literal(true).optional(),
    }),
  },
  make: (row, line, { key }) => {
    const { turnId, sessionId, role } = turnStanding(row);
    const terms = analyseTurn({
      text: (line.content as { text: string }).text,
      speaker: line.speaker as string | null,
      isDerived: role === "assistant",
      observedAt: row.observed_at as Date,
    });
    return {
      terms_sealed: key.sealTerms(
        termsPlace(turnId, sessionId as Parameters<typeof termsPlace>[1]),
        encodeTerms(terms),
      ),
    };
  },
  check: ({ role, content }) => {
    const said = parseInput(asTurn, { content: { role, ...(content as TurnContent) } });
    refuseText(said.content, "content");
  },
};

const digestEntry = z.strictObject({
  text: text(LIMITS.digestCharsMax),
  turn_ids: z.array(z.uuid()).max(LIMITS.digestRefsMax),
  working: z.array(text(512)).max(LIMITS.digestRefsMax),
});
const digest = z.strictObject(
  Object.fromEntries(
    DIGEST_PARTS.map((part) => [part, z.array(digestEntry).max(LIMITS.digestEntriesMax)]),
  ),
);
type DigestShape = Parameters<typeof digestText>[0];

/** An item of working memory goes by its run: `run/class/key`. */
function renameItem(item: string, idOf: (id: string) => string): string {
  const [run = "", ...rest] = item.split("/");
  return isUuid(run) ? [idOf(run), ...rest].join("/") : item;
}

const episodeStanding = (row: ArchivedRow) =>
  ({
    episodeId: row.episode_id,
    sessionId: row.session_id,
    workspaceId: row.workspace_id,
    routeId: row.route_id,
    outcome: row.outcome,
  }) as Parameters<typeof episodePlace>[0] & { readonly sessionId: string };

const EPISODES: Codec = {
  kind: "episode",
  table: EPISODE,
  places: (row) => ({ summary_sealed: episodePlace(episodeStanding(row)) }),
  contents: { summary: digest },
  make: (row, line, { key }) => {
    const { episodeId, sessionId } = episodeStanding(row);
    const terms = analyseTurn({
      text: digestText(line.summary as DigestShape),
      speaker: null,
      isDerived: true,
      observedAt: row.observed_at as Date,
    });
    const place = episodeTermsPlace(episodeId, sessionId);
    return { terms_sealed: key.sealTerms(place, encodeTerms(terms)) };
  },
  check: ({ summary }) => {
    for (const { text: said } of Object.values(summary as DigestShape).flat()) {
      const refused = refusedInEpisode(said);
      if (refused !== null) throw invalid("summary", refused);
    }
  },
  renamed: (content, idOf) =>
    Object.fromEntries(
      Object.entries(content as DigestShape).map(([part, entries]) => [
        part,
        entries.map((entry) => ({
          ...entry,
          turn_ids: entry.turn_ids.map(idOf),
          working: entry.working.map((item) => renameItem(item, idOf)),
        })),
      ]),
    ),
};

const observationStanding = (row: ArchivedRow) =>
  ({
    observationId: row.observation_id,
    sessionId: row.session_id,
    workspaceId: row.workspace_id,
    routeId: row.route_id,
    dimensionId: row.dimension_id,
    basis: row.basis,
    tier: row.tier,
    isSafety: row.is_safety,
    turnIds: row.turn_ids,
    supersedes: row.supersedes,
  }) as ObservationStanding;

const observationBody = z.strictObject({
  text: text(LIMITS.observationCharsMax),
  quotes: z
    .array(z.strictObject({ turn_id: z.uuid(), start: z.int().min(0), end: z.int().min(1) }))
    .min(1)
    .max(LIMITS.observationQuotesMax),
  model: text(LIMITS.modelNameCharsMax).nullable(),
  said: text(LIMITS.observationSaidCharsMax).optional(),
  made_by: text(LIMITS.madeByCharsMax).optional(),
});

const OBSERVATIONS: Codec = {
  kind: "observation",
  table: OBSERVATION,
  places: (row) => ({ body_sealed: observationPlace(observationStanding(row)) }),
  contents: { body: observationBody },
  make: (row, line, { key }) => {
    const standing = observationStanding(row);
    const { text: said } = line.body as ObservationBody;
    return {
      content_mac: observationMac(key, { ...standing, text: said }),
      terms_sealed: sealObservationTerms(key, standing, said, row.observed_at as Date),
    };
  },
  renamed: (content, idOf) => {
    const { quotes, ...rest } = content as ObservationBody;
    return { ...rest, quotes: quotes.map((quote) => ({ ...quote, turn_id: idOf(quote.turn_id) })) };
  },
  check: ({ body }) => {
    const refused = refusedInObservation((body as ObservationBody).text);
    if (refused !== null) throw invalid("body.text", refused);
  },
};

const { prompts: _prompts, ...facts } = traceInput.shape;

const TRACES: Codec = {
  kind: "trace",
  table: TRACE,
  places: (row) => {
    const at = [row.trace_id as string, row.run_id as string] as const;
    return {
      facts_sealed: tracePlace("facts_sealed", ...at),
      prompts_sealed: tracePlace("prompts_sealed", ...at),
    };
  },
  contents: { facts: z.strictObject(facts), prompts: traceInput.shape.prompts },
};

export const MEMORY_CODECS = [TURNS, EPISODES, OBSERVATIONS, TRACES] as const;
