import { z } from "zod";
import { invalid } from "../../domain/fields.js";
import type { SubjectKey } from "../../domain/keyring.js";
import { isQuarantined, ORIGINS, type Origin } from "../../domain/origin.js";
import type { ArchivedRow } from "../../storage/archive/archived-table.js";
import { HOLD } from "../../storage/archive/hold-table.js";
import { CANDIDATE, FIELD_VALUE, PROMOTION } from "../../storage/archive/store-tables.js";
import {
  actorPlace,
  type Decided,
  hashValue,
  hex,
  type MaybeValue,
  openValue,
  parseFieldValue,
  proposerPlace,
  type Standing,
  valuePlace,
} from "../field-values.js";
import { json, text } from "../inputs/parse.js";
import type { Codec, Making } from "./codec.js";

const NAME = text(512);

function standingOf(row: ArchivedRow, source: unknown, valueHash: unknown): Standing {
  return {
    candidateId: row.candidate_id,
    workspaceId: row.workspace_id,
    fieldId: row.field_id,
    definitionVersion: row.definition_version,
    sessionKey: row.session_key,
    source: source as Origin,
    removed: row.removed,
    valueHash,
  } as Standing;
}

function hashOf(key: SubjectKey, row: ArchivedRow, value: unknown): Uint8Array {
  return hashValue(key, standingOf(row, null, null), value as MaybeValue);
}

/** A value is held to its field as it is defined here: an archive brings in nothing that nobody could propose. */
function checkValue(
  { field_id, definition_version, value, removed }: ArchivedRow,
  { definition }: Pick<Making, "definition">,
): void {
  parseFieldValue(definition(field_id as string, definition_version as number), value);
  if (removed !== (value === null)) throw invalid("removed", "disagrees with the value");
}

const isWaiting = (row: ArchivedRow) => row.state === "open" || row.state === "quarantined";

const CANDIDATES: Codec = {
  kind: "candidate",
  table: CANDIDATE,
  relies: "field",
  places: (row) => {
    const standing = standingOf(row, row.origin, row.value_hash);
    return {
      value_sealed: valuePlace(standing),
      proposer_sealed: proposerPlace("proposer_sealed", standing),
      approver_sealed: proposerPlace("approver_sealed", standing),
    };
  },
  contents: { value: json, proposer: NAME, approver: NAME },
  // Elsewhere nobody goes by the ids of here: whoever approved could approve again as the second of two.
  current: (row, _now, isAtHome) =>
    isAtHome || !isWaiting(row) ? row : { ...row, approver_ref: null, approver: null },
  make: (row, line, { key }) => ({ value_hash: hashOf(key, row, line.value) }),
  check: (line, rules) => {
    checkValue(line, rules);
    // Only a person decides on what nobody vouches for, wherever it was proposed.
    const origin = ORIGINS.find((one) => one === line.origin);
    if (origin === undefined) throw invalid("origin", "is nowhere that a value comes from");
    if (line.state === "open" && isQuarantined(origin))
      throw invalid("state", "isn't that of a value for which nobody vouches");
  },
};

/** What a decision wrote, where that still stands; else the mark by which its value was known. */
function decidedValue(row: ArchivedRow, key: SubjectKey): ArchivedRow {
  const sealed = row.value_sealed;
  if (!(sealed instanceof Uint8Array))
    return { removed: null, value: null, new_hash: hex(row.new_hash as Uint8Array) };
  return {
    removed: row.removed,
    value: openValue(key, standingOf(row, row.source, row.new_hash), sealed),
    new_hash: null,
  };
}

const PROMOTIONS: Codec = {
  kind: "promotion",
  table: PROMOTION,
  places: (row) => ({
    actor_sealed: actorPlace({
      ...standingOf(row, row.source, row.new_hash),
      promotionId: row.promotion_id,
      path: row.path,
      rule: row.rule,
    } as Decided),
  }),
  contents: { actor: NAME },
  beside: {
    shape: {
      removed: z.boolean().nullable(),
      value: json.nullable(),
      new_hash: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .nullable(),
    },
    of: decidedValue,
  },
  make: (row, { value, new_hash }, { key, isAtHome }) => {
    if (new_hash === null) return { new_hash: hashOf(key, row, value), old_hash: null };
    const mark = Buffer.from(new_hash as string, "hex");
    return { new_hash: isAtHome ? mark : key.mac("archived", hex(mark)), old_hash: null };
  },
};

const FIELD_VALUES: Codec = {
  kind: "field_value",
  table: FIELD_VALUE,
  relies: "field",
  places: (row) => ({ value_sealed: valuePlace(standingOf(row, row.source, row.value_hash)) }),
  contents: { value: json },
  make: (row, line, { key }) => ({ value_hash: hashOf(key, row, line.value) }),
  check: checkValue,
};

const HOLDS: Codec = {
  kind: "hold",
  table: HOLD,
  places: () => ({}),
  contents: {},
  beside: {
    shape: {},
    of: ({ held_turn, held_event }) => ({
      ...(held_event === null ? {} : { target: held_event }),
      ...(held_turn === null ? {} : { scope: "turn", target: held_turn }),
    }),
  },
  check: ({ scope, target, subject_id }) => {
    if (scope === "subject" && target !== subject_id)
      throw invalid("target", "isn't the person whom the hold covers");
  },
  make: (_row, _line, { person }) => ({ subject_mac: Buffer.from(person).toString("base64") }),
};

export const STORE_CODECS = [CANDIDATES, PROMOTIONS, FIELD_VALUES, HOLDS] as const;
