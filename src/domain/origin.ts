import { FIELD_WRITERS, type FieldWriter } from "./field.js";
import type { Claims } from "./principal.js";
import type { TurnRole } from "./turn.js";

/** Where a proposed value comes from, when nobody vouches for it: it waits in quarantine for a person. */
const UNVOUCHED = ["model", "tool", "document", "application", "import"] as const;

export const ORIGINS = [...FIELD_WRITERS, ...UNVOUCHED] as const;
export type Origin = (typeof ORIGINS)[number];

/**
 * Of a service by its role. What is trusted least comes first: a credential with two roles gains nothing by the second.
 */
const ORIGIN_OF_ROLE: readonly (readonly [role: string, origin: Origin])[] = [
  ["app", "application"],
  ["operator", "import"],
  ["settings", "settings_form"],
  ["release", "release"],
  ["billing", "billing"],
  ["control_plane", "control_plane"],
  ["reconcile", "system_of_record"],
];

/** INVARIANT: from the credential alone. No payload can say where its value comes from. */
export function originOf({ kind, roles, subject }: Claims): Origin {
  if (kind === "agent") return "model";
  if (kind === "human") return subject === undefined ? "human_agent" : "user";
  return ORIGIN_OF_ROLE.find(([role]) => roles.includes(role))?.[1] ?? "application";
}

/** Origin of what a model proposes in its run, by the roles of the turns that it took it from. */
export function originOfTurns(roles: readonly TurnRole[]): Origin {
  if (roles.some((role) => role === "tool_result" || role === "tool_call")) return "tool";
  if (roles.includes("system")) return "document";
  return "model";
}

/** True where nobody vouches for the value yet. */
export function isQuarantined(origin: Origin): boolean {
  return !isWriter(origin);
}

function isWriter(origin: Origin): origin is FieldWriter {
  return FIELD_WRITERS.some((writer) => writer === origin);
}

/** Who vouches for a value once a person approved it: whoever did from the start, else that person. */
export function approvedWriter(origin: Origin): FieldWriter {
  return isWriter(origin) ? origin : "human_agent";
}
