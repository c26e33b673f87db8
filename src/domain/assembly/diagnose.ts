import type { FieldId, RouteId, RunId, SessionId } from "../ids.js";
import type { TurnRole } from "../turn.js";
import type { ItemKind, Layer } from "./candidate.js";

/** Where a wrong line can come from, in the order in which one looks. */
export const DIAGNOSIS_STEPS = [
  "promotion_log",
  "working_assembly",
  "retrieval",
  "episodic_paste",
] as const;
export type DiagnosisStep = (typeof DIAGNOSIS_STEPS)[number];

/** Memory that a line came from. `gone`: its row isn't kept any more. */
export type LineOrigin =
  | "store"
  | "working"
  | "conversation"
  | "evidence"
  | "episode"
  | "derived"
  | "observation"
  | "gone";

/** The write that put a line's row there, from the audit trail. */
export interface PutBy {
  readonly audit_id: string;
  readonly operation: string;
  readonly at: string;
  readonly principal_ref: string;
  readonly principal_kind: string;
  readonly policy_ids: readonly string[];
  readonly run_id: string | null;
  /** Run that a slot was carried over from, where it was. */
  readonly from_run: string | null;
}

/** What is known of a line's row. Absent where the row isn't kept or not readable any more. */
export type LineRow =
  | {
      readonly memory: "store";
      readonly recordedAt: Date;
      readonly field: FieldId;
      readonly version: number;
      readonly path: string;
      readonly rule: string;
      readonly from: string;
      /** True where a later decision stands in its place. */
      readonly superseded: boolean;
    }
  | { readonly memory: "working"; readonly recordedAt: Date }
  | {
      readonly memory: "turn";
      readonly recordedAt: Date;
      readonly session: SessionId;
      readonly run: RunId;
      readonly route: RouteId;
      readonly role: TurnRole;
    }
  | {
      readonly memory: "episode" | "observation";
      readonly recordedAt: Date;
      readonly session: SessionId;
      readonly route: RouteId;
    };

export interface LineFacts {
  readonly kind: ItemKind;
  readonly layer: Layer;
  readonly row: LineRow | null;
  readonly put: PutBy | null;
  readonly packedAt: Date;
  /** Turns that the run had recalled and whose text stands in the line. */
  readonly pastedTurns: readonly string[];
  /** Episodes that the run had recalled and of which an entry stands in the line. */
  readonly pastedEpisodes: readonly string[];
  /** Observations that the run had recalled and whose text stands in the line. */
  readonly pastedObservations: readonly string[];
}

export interface Finding {
  readonly step: DiagnosisStep;
  readonly found: boolean;
  readonly says: string;
  /** Ids of the rows that it was found in. */
  readonly refs: readonly string[];
}

export interface LineDiagnosis {
  readonly origin: LineOrigin;
  readonly findings: readonly Finding[];
  readonly next_step: string;
}

const NEXT_STEPS: Readonly<Record<LineOrigin | "pasted", string>> = {
  store: "revert the promotion, or propose the right value: either is a new decision in the log",
  working: "write it again with the right value; later stages read the new version",
  conversation: "say it again, corrected: a conversation only grows",
  evidence:
    "say it again, corrected, or take its route off `recall_from`: a run pins the new version of the route",
  episode:
    "close or append again with the right words, or take its route off `recall_from`: an episode ends with its own clock",
  derived:
    "correct or retract the turns or records that it rests on: a view is made again of what is left",
  observation:
    "say it again, corrected: the next observation names the one that it corrects; what was said in error is forgotten with its turn",
  pasted: "write the line again without the recalled text: recall it anew where it is needed",
  gone: "read the audit trail of the run: the row itself isn't kept any more",
};

/** Walks the four places of a wrong line in their order. Pure: facts in, findings out, no text. */
export function diagnoseLine(facts: LineFacts): LineDiagnosis {
  const origin = originOf(facts);
  const pasted = pastedFrom(facts);
  return {
    origin: pasted ?? origin,
    findings: [
      finding("promotion_log", promotionOf(facts), "no field of the store stands in this line"),
      finding("working_assembly", workingOf(facts, origin), "it isn't of the run's own session"),
      retrievalOf(facts, origin),
      episodicOf(facts),
    ],
    next_step: NEXT_STEPS[pasted === null ? origin : "pasted"],
  };
}

function originOf({ layer, row }: LineFacts): LineOrigin {
  if (layer === "derived") return "derived";
  if (row === null) return "gone";
  if (row.memory !== "turn" && row.memory !== "working") return row.memory;
  if (layer === "evidence") return "evidence";
  return row.memory === "turn" ? "conversation" : "working";
}

/** Where the text of a line was copied from; null where it wasn't. */
function pastedFrom(facts: LineFacts): LineOrigin | null {
  if (facts.pastedTurns.length > 0) return "evidence";
  if (facts.pastedEpisodes.length > 0) return "episode";
  return facts.pastedObservations.length > 0 ? "observation" : null;
}

function promotionOf({ row }: LineFacts): string | null {
  if (row?.memory !== "store") return null;
  const { field, version, path, rule, from, superseded } = row;
  const since = superseded ? "; another value stands there since" : "";
  return `field ${field} version ${version}, from ${from}, by path ${path}, rule ${rule}${since}`;
}

function workingOf({ kind, row, put, packedAt }: LineFacts, origin: LineOrigin): string | null {
  if (row === null || (origin !== "working" && origin !== "conversation")) return null;
  const what = row.memory === "turn" ? `a ${row.role} turn of the session` : `the run's ${kind}`;
  const by = put === null ? "" : `, by ${put.operation}`;
  const from = put?.from_run == null ? "" : `, carried over from run ${put.from_run}`;
  const since = row.recordedAt > packedAt ? "; written again since the pack was made" : "";
  return `${what}${by}${from}${since}`;
}

function retrievalOf({ row, pastedTurns }: LineFacts, origin: LineOrigin): Finding {
  if (pastedTurns.length > 0) return paste("retrieval", pastedTurns);
  const isRecalled = origin === "evidence" && row?.memory === "turn";
  const found = isRecalled
    ? `recalled: a ${row.role} turn of route ${row.route}, session ${row.session}`
    : null;
  return finding("retrieval", found, "nothing that was recalled stands in this line");
}

function episodicOf({ row, pastedEpisodes, pastedObservations }: LineFacts): Finding {
  const pasted = [...pastedEpisodes, ...pastedObservations];
  if (pasted.length > 0) return paste("episodic_paste", pasted);
  const found =
    row?.memory === "episode" || row?.memory === "observation"
      ? `an ${row.memory} of route ${row.route}, session ${row.session}`
      : null;
  return finding(
    "episodic_paste",
    found,
    "nothing of an episode or observation stands in this line",
  );
}

function paste(step: DiagnosisStep, refs: readonly string[]): Finding {
  return { step, found: true, says: "text that the run had recalled was copied in", refs };
}

function finding(step: DiagnosisStep, found: string | null, otherwise: string): Finding {
  return { step, found: found !== null, says: found ?? otherwise, refs: [] };
}
