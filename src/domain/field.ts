import type { FieldId, RouteId } from "./ids.js";
import type { ValueSchema } from "./value-schema.js";

export const FIELD_CLASSES = [
  "identifier",
  "preference",
  "policy_pointer",
  "risk_flag",
  "budget",
] as const;
export type FieldClass = (typeof FIELD_CLASSES)[number];

/** Who can vouch for a value. Which of them a class takes is policy: `policies/fields.cedar`. */
export const FIELD_WRITERS = [
  "system_of_record",
  "user",
  "human_agent",
  "settings_form",
  "release",
  "billing",
  "control_plane",
] as const;
export type FieldWriter = (typeof FIELD_WRITERS)[number];

/** A `customer` key belongs to the subject until it is deleted; a `session` key to one chat, and dies when that is idle. */
export const KEY_SCOPES = ["customer", "session"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** One version of a field of the store. Immutable: a change is a new version. */
export interface FieldDefinition {
  readonly field_id: FieldId;
  readonly version: number;
  readonly class: FieldClass;
  /** What it means, for the people who decide over its values and for the models that propose them. */
  readonly description: string;
  readonly value_schema: ValueSchema;
  /** Who may vouch for its values. */
  readonly writers: readonly FieldWriter[];
  /** Team that answers for it. */
  readonly owner: string;
  readonly scope: KeyScope;
  /** Routes whose packs may hold it, if they list it as well. */
  readonly routes: "global" | readonly RouteId[];
  readonly answers: FieldAnswers;
  /** Only people decide over it. */
  readonly sensitive: boolean;
  /** A value of it opens tools, so two people decide over it. */
  readonly authorises_tools: boolean;
  /** Extraction criterion whose passing lets an evaluator decide over it. */
  readonly criterion?: string;
}

/** What has to be true before something is worth a field. */
export interface FieldAnswers {
  /** A person edits it today, in some other system. */
  readonly edited_by_human: true;
  /** The next run would repeat a wrong value. */
  readonly wrong_value_repeats: true;
  /** Its writer and its audit row can be named. */
  readonly writer_and_audit_named: true;
}

/** True where two different people have to approve a value. */
export function needsFourEyes(
  definition: Pick<FieldDefinition, "class" | "authorises_tools">,
): boolean {
  return definition.class === "risk_flag" || definition.authorises_tools;
}

export function isReadBy(definition: Pick<FieldDefinition, "routes">, routeId: RouteId): boolean {
  return definition.routes === "global" || definition.routes.includes(routeId);
}
