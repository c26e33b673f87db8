import { z } from "zod";
import { refuseCredential } from "../../domain/credential-text.js";
import { DIGEST_PARTS } from "../../domain/digest.js";
import { isUuid } from "../../domain/ids.js";
import { LIMITS } from "../../domain/limits.js";
import type { Pin } from "../../domain/pin.js";
import type { TurnRole } from "../../domain/turn.js";
import { analyseTurn } from "../../recall/analyse.js";
import { encodeTerms } from "../../recall/terms.js";
import type { ArchivedRow } from "../../storage/archive/statements.js";
import {
  CHECKPOINT,
  EPISODE,
  ESCALATION,
  RUN,
  SESSION,
  TRACE,
  TURN,
  WORKING,
} from "../../storage/archive/tables.js";
import { subjectScope } from "../../storage/scope.js";
import { checkpointPlace } from "../checkpoints.js";
import { digestText, episodePlace, episodeTermsPlace } from "../episode-writing.js";
import { escalationPlace } from "../escalations.js";
import { anyText, externalId, json, name, text } from "../inputs/parse.js";
import { traceInput } from "../inputs/trace.js";
import { goalPlace, macPin } from "../pinning.js";
import { tracePlace } from "../run-traces.js";
import { refuseText, termsPlace, turnPlace } from "../turn-writing.js";
import { workingPlace } from "../working-values.js";
import type { Codec } from "./codec.js";

// Rows come by their columns' names, as the database gave them or as a line was parsed: the casts below say no more than the
// tables' descriptions do.

const SESSIONS: Codec = { kind: "session", table: SESSION, places: () => ({}), contents: {} };

const RUNS: Codec = {
  kind: "run",
  table: RUN,
  relies: "route",
  places: (row) => ({
    goal_sealed: goalPlace(row.run_id as Pin["run"], row.session_id as string),
  }),
  contents: { goal: text(LIMITS.workingCharsMax) },
  // A run's row outlives its clock, what was asked for doesn't.
  current: (line, now) =>
    new Date(line.expires_at as string | Date) > now ? line : { ...line, goal: null },
  make: (row, _line, { key, permit, route }) => {
    const { tenant, subject, keyId } = subjectScope(permit);
    const { definition, profileHash } = route(row.route_id as string, row.route_version as number);
    const pin = {
      tenant,
      subject,
      keyId,
      workspace: row.workspace_id,
      session: row.session_id,
      run: row.run_id,
      ...(row.parent_run_id === null ? {} : { parent: row.parent_run_id }),
      routeId: row.route_id,
      route: definition,
      profileHash,
    } as Pin;
    return {
      profile: definition.memory_profile,
      profile_hash: profileHash,
      pin_mac: macPin(key, pin),
    };
  },
};

const WORKINGS: Codec = {
  kind: "working",
  table: WORKING,
  places: (row) => ({
    value_sealed: workingPlace(
      row.class as Parameters<typeof workingPlace>[0],
      row.item_key as string,
      row.run_id as string,
      row.version as number,
    ),
  }),
  contents: { value: json },
};

const CHECKPOINTS: Codec = {
  kind: "checkpoint",
  table: CHECKPOINT,
  places: (row) => ({
    value_sealed: checkpointPlace(row.checkpoint_id as string, row.run_id as string),
  }),
  contents: {
    value: z.strictObject({
      stage_id: name.optional(),
      result: json.optional(),
      proposals: json.optional(),
      observations: json.optional(),
    }),
  },
};

const ESCALATIONS: Codec = {
  kind: "escalation",
  table: ESCALATION,
  places: (row) => {
    const at = [row.escalation_id as string, row.run_id as string] as const;
    return {
      reason_sealed: escalationPlace("reason_sealed", ...at),
      answer_sealed: escalationPlace("answer_sealed", ...at),
    };
  },
  contents: {
    reason: z.strictObject({
      reason: text(LIMITS.escalationCharsMax),
      evidence: z.array(text(LIMITS.escalationCharsMax)).max(LIMITS.workingItemsMax),
    }),
    answer: text(LIMITS.escalationCharsMax),
  },
};

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

const TURNS: Codec = {
  kind: "turn",
  table: TURN,
  places: (row) => ({ content_sealed: turnPlace(turnStanding(row)) }),
  contents: {
    content: z.strictObject({
      text: anyText(LIMITS.turnCharsMax),
      tool: externalId.optional(),
      call_id: externalId.optional(),
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
  check: ({ role, content }) =>
    refuseText({ role: role as TurnRole, text: (content as { text: string }).text }, "content"),
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

export const MEMORY_CODECS = [
  SESSIONS,
  RUNS,
  WORKINGS,
  CHECKPOINTS,
  ESCALATIONS,
  TURNS,
  EPISODES,
  TRACES,
] as const;

/** Nothing of an archive may bring in what no layer keeps. */
export function refuseCredentialsIn(codec: Codec, line: ArchivedRow): void {
  for (const key of Object.keys(codec.contents)) {
    const content = line[key];
    if (content === null || content === undefined) continue;
    refuseCredential(typeof content === "string" ? content : JSON.stringify(content), key);
  }
}
