import type { MemoryProfile } from "../domain/profile.js";
import type { SlotCondition } from "../domain/slot-condition.js";
import type { HandoffPackage } from "./handoff-package.js";
import type { PackRecallBody } from "./recall-bodies.js";
import type { TraceBody } from "./trace-body.js";

// Bodies of the operations, as an application writes them. The schemas in `inputs/` parse them; a test holds the two together.

export interface StageBody {
  readonly stage_id: string;
  readonly tools?: readonly string[];
  /** True for a stage in which turns may be recalled (pattern 2). */
  readonly recall?: boolean;
  /** JSON Schema of the capability's input. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  /** Branch: where it doesn't hold, the stage is passed over. */
  readonly when?: SlotCondition;
  /** The run waits before the stage until it holds. */
  readonly gate?: SlotCondition;
}

export interface PutRouteBody {
  readonly memory_profile?: Partial<MemoryProfile>;
  /** 0 single call, 1 tool loop, 2 workflow, 3 staged agent. */
  readonly autonomy?: 0 | 1 | 2 | 3;
  readonly risk?: "low" | "high";
  readonly side_effects?: "read" | "write";
  /** Why a high-risk route may read long-term memory. */
  readonly long_term_reason?: string;
  readonly stages?: readonly StageBody[];
  readonly tools?: readonly string[];
  /** Other routes whose memory runs of this one may read. */
  readonly recall_from?: readonly string[];
  readonly store_fields?: readonly string[];
  /** Views of the person that its packs hold: `user_model`, `fold`, or a projection. */
  readonly views?: readonly string[];
  readonly retrieval?: Readonly<Record<string, unknown>>;
  /** Cap of a pack, in tokens. */
  readonly tokens_max: number;
  /** Why the route changes; required for every version after the first. */
  readonly reason?: string;
}

interface Said {
  /** Name or id of who said it. */
  readonly speaker?: string;
  /** The source's own id: a turn with one that is known adds nothing. */
  readonly source_id?: string;
  /** When it was said, RFC 3339 with its zone; now where absent. */
  readonly observed_at?: string;
}

/** `speaker` may be a name of the subject's: then it is the subject who speaks. */
interface ByUser {
  readonly role: "user";
  readonly text: string;
  readonly speaker_is_subject?: boolean;
}

export type TurnBody =
  | (Said & ByUser)
  | (Said & { readonly role: "assistant" | "system"; readonly text: string })
  | (Said & {
      readonly role: "tool_call" | "tool_result";
      /** Arguments of the call, or its result. */
      readonly text: string;
      readonly tool: string;
      /** Ties a result to its call. */
      readonly call_id: string;
    });

/** Version of the run that the caller saw last: the write happens only while it still stands. */
interface Expecting {
  readonly expected_version?: number;
}

export interface StartRunBody {
  readonly route_id: string;
  readonly goal: string;
}

export interface TakeTurnBody {
  /** Takes a failed run up again; `{}` does too. */
  readonly resume?: boolean;
  readonly turns?: readonly TurnBody[];
}

export interface AppendTurnsBody extends Expecting {
  readonly turns: readonly TurnBody[];
}

export interface WriteWorkingBody extends Expecting {
  readonly contract?: unknown;
  readonly criteria?: readonly { readonly criterion_id: string; readonly version: number }[];
  /** URI of the current artifact. */
  readonly artifact?: string;
  /** The evaluator's last failures, verbatim. */
  readonly failures?: readonly string[];
  readonly questions?: readonly string[];
  readonly scratch?: readonly { readonly ref: string; readonly label?: string }[];
}

export interface CompleteStageBody extends Expecting {
  /** JSON, kept as the stage's slot. */
  readonly output: unknown;
  readonly notes?: readonly string[];
  readonly turns?: readonly TurnBody[];
  /** Step of the loop's record; the next one where absent. */
  readonly step?: number;
  /** Version of the slot that this output replaces. */
  readonly slot_version?: number;
}

export interface WriteCheckpointBody extends Expecting {
  readonly step: number;
  readonly stage_id?: string;
  readonly resume_index?: number;
  readonly result?: unknown;
  readonly proposals?: unknown;
  readonly observations?: unknown;
}

export interface UseToolBody {
  readonly tool: string;
}

export interface SearchCorpusBody {
  readonly query: string;
  /** Some of the corpora that the pinned route lists; all of them where absent. */
  readonly corpora?: readonly string[];
  /** Passages at most; the route's own limit where absent. */
  readonly limit?: number;
}

export interface PrefetchCorpusBody extends SearchCorpusBody {
  /** Version of the slot `prefetch` that this one replaces. */
  readonly slot_version?: number;
}

export interface EscalateRunBody extends Expecting {
  readonly reason: string;
  /** What a human should look at: quotes, ids, references. */
  readonly evidence?: readonly string[];
}

export interface ResumeRunBody {
  /** What the human decided. Later stages see it as a note. */
  readonly answer: string;
}

export interface FailRunBody extends Expecting {
  readonly trace?: TraceBody;
  readonly code: string;
}

export interface CloseRunBody extends Expecting {
  readonly trace?: TraceBody;
  readonly outcome?: "completed" | "closed";
}

export interface HandoffSlotsBody {
  readonly from_run: string;
  /** Stages whose slots are carried over. */
  readonly slots: readonly string[];
  readonly handoff?: HandoffPackage;
}

export interface ProjectChildBody extends StartRunBody {
  readonly slots: readonly string[];
  readonly handoff?: HandoffPackage;
}

export interface AssembleBody {
  /** Lowers the route's cap. */
  readonly tokens_max?: number;
  readonly recall?: PackRecallBody;
}

export interface PageQuery {
  /** Rows at most, 50 where absent. */
  readonly limit?: number;
  /** From the reply before. */
  readonly cursor?: string;
}

export interface AuditQuery extends PageQuery {
  readonly run?: string;
  readonly verdict?: "allow" | "deny";
}
