import type { FieldAnswers, FieldClass, FieldWriter, KeyScope } from "../domain/field.js";
import type { ValueSchema } from "../domain/value-schema.js";
import type { PageQuery } from "./bodies.js";

// Bodies of the store's operations, as an application writes them. The schemas in `inputs/field.ts` parse them; a test holds
// the two together.

export interface PutFieldBody {
  readonly class: FieldClass;
  /** What it means, for the people who decide over its values and for the models that propose them. */
  readonly description: string;
  /** Closed and bounded: an enumeration, a number with both bounds, a pattern with a length, a boolean, a short list. */
  readonly value_schema: ValueSchema;
  readonly writers: readonly FieldWriter[];
  /** Team that answers for it. */
  readonly owner: string;
  /** `customer`: until it is deleted. `session`: of one chat, until that is idle. */
  readonly scope: KeyScope;
  /** Routes whose packs may hold it, if they list it as well. */
  readonly routes: "global" | readonly string[];
  /** Each has to be true. */
  readonly answers: { readonly [Question in keyof FieldAnswers]: boolean };
  /** Only people decide over it. */
  readonly sensitive?: boolean;
  /** A value of it opens tools, so two people decide over it. */
  readonly authorises_tools?: boolean;
  /** Extraction criterion whose passing lets an evaluator decide. */
  readonly criterion?: string;
  /** Why the field changes; required for every version after the first. */
  readonly reason?: string;
}

export interface ProposeFieldBody {
  readonly field_id: string;
  /** As the field's own schema says; null for no value any more. */
  readonly value: unknown;
}

export interface UpsertPreferenceBody extends ProposeFieldBody {
  /** Turns of the run's session that the value was taken from. */
  readonly evidence?: readonly string[];
}

export interface SetFieldBody {
  readonly value: unknown;
  /** Version of the value that the caller saw last, 0 for none: the write happens only while it still stands. */
  readonly expected_version?: number;
}

export interface PromoteByHumanBody {
  /** As the candidate shows it: nothing else is decided on. */
  readonly value_hash: string;
  readonly expected_version?: number;
}

export interface PromoteByEvaluatorBody extends PromoteByHumanBody {
  /** Extraction criterion that the candidate passed. */
  readonly criterion: string;
}

export interface RejectCandidateBody {
  readonly value_hash: string;
}

export interface ReconcileBody {
  /** Fields to compare with the system of record. */
  readonly fields: readonly string[];
}

export interface CandidatesQuery extends PageQuery {
  /** Those that wait for a decision where absent. */
  readonly state?: "waiting" | "open" | "quarantined" | "promoted" | "rejected";
  readonly field_id?: string;
}

export interface PromotionsQuery extends PageQuery {
  readonly field_id?: string;
}
