import {
  type Candidates,
  type DerivedCandidate,
  type FieldCandidate,
  ITEM_KINDS,
  type ItemKind,
  type RecalledCandidate,
} from "./candidate.js";
import type { Unit, Wanted } from "./cap.js";
import { derivedLine } from "./derived-line.js";
import { episodeLine, fieldLine, type Line, recalledLine, turnLine, workingLine } from "./line.js";
import { observationLine } from "./observation-line.js";
import type { LeftOut } from "./pack.js";
import { pairTurns } from "./tool-pairs.js";

/** Never dropped. */
const REQUIRED: readonly ItemKind[] = [
  "contract",
  "goal",
  "handoff",
  "criterion",
  "artifact",
  "failure",
  "field",
  "preference",
  "structured_state",
  "slot",
];

/** Candidates as lines. */
export interface Prepared {
  readonly working: readonly Line[];
  readonly fields: readonly Line[];
  readonly derived: readonly Line[];
  /** Those of `derived` that are about safety. */
  readonly safety: ReadonlySet<Line>;
  /** Oldest first. */
  readonly turns: readonly Unit[];
  /** Most relevant first. */
  readonly recalled: readonly Line[];
  /** Most relevant first. */
  readonly episodes: readonly Line[];
  /** Most relevant first. */
  readonly observations: readonly Line[];
  /** What can't be shown, whatever the cap. */
  readonly orphans: readonly LeftOut[];
}

export function prepare(candidates: Candidates): Prepared {
  const { units, orphans } = pairTurns(candidates.turns);
  const derived = candidates.derived
    .filter(({ rank }) => rank !== "surplus")
    .map((candidate) => ({ candidate, line: derivedLine(candidate) }));
  const safety = derived.filter(({ candidate }) => candidate.rank === "safety");
  return {
    working: candidates.working.map(workingLine),
    fields: candidates.fields.filter(({ fits }) => fits).map(fieldLine),
    derived: derived.map(({ line }) => line),
    safety: new Set(safety.map(({ line }) => line)),
    turns: units.map((unit) => unit.map(turnLine)),
    recalled: [...candidates.recalled].sort(byRelevance).map(recalledLine),
    episodes: [...candidates.episodes].sort(byRelevance).map(episodeLine),
    observations: [...candidates.observations].sort(byRelevance).map(observationLine),
    orphans: [
      ...candidates.fields.filter(({ fits }) => !fits).map(outgrown),
      ...candidates.derived.filter(({ rank }) => rank === "surplus").map(surplus),
      ...orphans.map(({ turn, why }) => ({
        kind: "turn" as const,
        layer: "working" as const,
        source: [turn.turnId],
        why,
      })),
    ],
  };
}

function outgrown({ kind, promotionId }: FieldCandidate): LeftOut {
  return { kind, layer: "store", source: [promotionId], why: "outgrown" };
}

function surplus({ kind, sources }: DerivedCandidate): LeftOut {
  return { kind, layer: "derived", source: sources, why: "over_cap" };
}

/** What has to stay, and the rest in the order in which it is worth keeping. */
export function toWanted(prepared: Prepared, without: ReadonlySet<Line>): Wanted {
  const newestFirst = (kind: ItemKind): readonly Unit[] =>
    prepared.working
      .filter((line) => line.kind === kind)
      .reverse()
      .map((line) => [line]);
  const turns = [...prepared.turns].reverse();
  const others = prepared.derived.filter((line) => !prepared.safety.has(line));
  return {
    required: [
      ...prepared.working.filter((line) => REQUIRED.includes(line.kind)),
      ...prepared.fields,
      ...prepared.derived.filter((line) => REQUIRED.includes(line.kind)),
    ],
    optional: [
      ...[...prepared.safety].map((line) => [line]),
      ...ofKind(others, "current_value"),
      ...ofKind(others, "user_model"),
      ...newestFirst("question"),
      ...newestFirst("note"),
      ...turns.slice(0, 1),
      ...prepared.recalled.filter((line) => !without.has(line)).map((line) => [line]),
      ...prepared.observations.filter((line) => !without.has(line)).map((line) => [line]),
      ...prepared.episodes.map((line) => [line]),
      ...turns.slice(1),
      ...newestFirst("scratch"),
    ],
  };
}

function ofKind(lines: readonly Line[], kind: ItemKind): readonly Unit[] {
  return lines.filter((line) => line.kind === kind).map((line) => [line]);
}

/** All lines in the order of the pack; recalled ones as they happened. */
export function inPackOrder(prepared: Prepared): readonly Line[] {
  // Transcripts often have one time for a whole session.
  const recalled = [...prepared.recalled].sort(
    (a, b) => a.at.getTime() - b.at.getTime() || a.seq - b.seq,
  );
  const summaries = [...prepared.episodes, ...prepared.observations].sort(
    (a, b) => a.at.getTime() - b.at.getTime(),
  );
  const { working, fields, derived, turns } = prepared;
  const lines = [...working, ...fields, ...derived, ...turns.flat(), ...recalled, ...summaries];
  return ITEM_KINDS.flatMap((kind) => lines.filter((line) => line.kind === kind));
}

type Ranked = Pick<RecalledCandidate, "score" | "observedAt">;

function byRelevance(a: Ranked, b: Ranked): number {
  return b.score - a.score || b.observedAt.getTime() - a.observedAt.getTime();
}

export function isRequired(kind: ItemKind): boolean {
  return REQUIRED.includes(kind);
}
