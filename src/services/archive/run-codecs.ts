import { z } from "zod";
import { refuseChainOfThought } from "../../domain/credential-text.js";
import { LIMITS } from "../../domain/limits.js";
import type { Pin } from "../../domain/pin.js";
import { CHECKPOINT, ESCALATION, RUN, SESSION, WORKING } from "../../storage/archive/run-tables.js";
import { subjectScope } from "../../storage/scope.js";
import { checkpointPlace } from "../checkpoints.js";
import { escalationPlace } from "../escalations.js";
import { json, name, text } from "../inputs/parse.js";
import { goalPlace, macPin } from "../pinning.js";
import { workingPlace } from "../working-values.js";
import type { Codec } from "./codec.js";

/** What a run holds for itself takes no model's reasoning. */
const withoutReasoning =
  (...keys: readonly string[]): NonNullable<Codec["check"]> =>
  (line) => {
    for (const key of keys) {
      const said = line[key];
      refuseChainOfThought(typeof said === "string" ? said : JSON.stringify(said), key);
    }
  };

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
  check: withoutReasoning("goal"),
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
      knows_forgotten: false,
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
  check: withoutReasoning("value"),
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
  check: withoutReasoning("value"),
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
  check: withoutReasoning("reason", "answer"),
};

export const RUN_CODECS = [SESSIONS, RUNS, WORKINGS, CHECKPOINTS, ESCALATIONS] as const;
