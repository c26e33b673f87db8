import type { FieldDefinition, FieldWriter } from "../domain/field.js";
import type { RouteId } from "../domain/ids.js";
import type { Origin } from "../domain/origin.js";

/** Recall of turns as evidence, judged against the pinned route. */
export interface RecallAsk {
  /** True where everything about the subject is asked for, whatever route it came from: always denied. */
  readonly allRoutes: boolean;
  /** Source routes that are asked for; absent = the pin's own allowlist. One outside of it is denied. */
  readonly sourceRoutes?: readonly RouteId[];
  /** The run's current stage, from its row. Under autonomy 2 and 3 recall is open in some stages only. */
  readonly stageId?: string;
}

/** A call of one of the application's tools, judged against the pinned route. */
export interface ToolAsk {
  readonly name: string;
  /** The run's current stage, from its row. Under autonomy 2 and 3 its allowlist counts, not the route's. */
  readonly stageId?: string;
}

/** A stage's output, by whether what the pinned route lets the stage wait for is there. */
export interface StageAsk {
  readonly gateHolds: boolean;
}

/** One field, by its definition. */
export interface FieldAsk {
  readonly field: FieldDefinition;
}

/** A value that is proposed for a field, by where it comes from. */
export interface ProposeAsk extends FieldAsk {
  readonly origin: Origin;
}

/** A model's call of a governed tool. */
export interface PreferenceAsk extends ProposeAsk {
  readonly tool: ToolAsk;
}

/** A value that is written to a field, by who vouches for it. */
export interface WriteAsk extends FieldAsk {
  readonly writer: FieldWriter | Origin;
}

/** A person's approval; true where the same person gave the first of two already. */
export interface ApproveAsk extends WriteAsk {
  readonly approvedByCaller: boolean;
}

/** An evaluator's verdict, by the extraction criterion that it says was passed. */
export interface EvaluateAsk extends WriteAsk {
  readonly criterion: string;
}

/** A search of corpora, judged against the pinned route's own. */
export interface CorpusAsk {
  readonly corpora: readonly string[];
}
