declare const brand: unique symbol;
type Id<Name extends string> = string & { readonly [brand]: Name };

/** Nothing has this id, and every id of ours comes behind it. */
export const NIL_ID = "00000000-0000-0000-0000-000000000000";

/** Isolation root: a bank, a clinic. UUIDv7. */
export type TenantId = Id<"TenantId">;
/** Second partition inside a tenant. UUIDv7. */
export type WorkspaceId = Id<"WorkspaceId">;
/** The person or object a memory is about, and the unit of erasure. UUIDv7. */
export type SubjectId = Id<"SubjectId">;
/** A chat. UUIDv7. */
export type SessionId = Id<"SessionId">;
/** One pinned execution of a route. UUIDv7. */
export type RunId = Id<"RunId">;
/** One utterance, tool call or tool result. UUIDv7. */
export type TurnId = Id<"TurnId">;
/** One assembled context. UUIDv7. */
export type PackId = Id<"PackId">;
export type SegmentId = Id<"SegmentId">;
/** Who said it, unique within a subject. UUIDv7. */
export type SpeakerId = Id<"SpeakerId">;
/** What a closed session, or a gated append, left of a conversation. UUIDv7, or an HMAC shaped as a UUID. */
export type EpisodeId = Id<"EpisodeId">;
/** A statement about the subject that turns support. An HMAC shaped as a UUID. */
export type ObservationId = Id<"ObservationId">;
/** One revision of a source's record. An HMAC shaped as a UUID. */
export type EventId = Id<"EventId">;
/** What one job is about. UUIDv7. */
export type WorkId = Id<"WorkId">;
/** Data key of one subject. UUIDv7. */
export type KeyId = Id<"KeyId">;
/** One erasure or hold. UUIDv7. */
export type ErasureId = Id<"ErasureId">;
/** One legal hold. UUIDv7. */
export type HoldId = Id<"HoldId">;
/** One row of the audit trail. UUIDv7. */
export type AuditId = Id<"AuditId">;
/** Pseudonym of a caller: an HMAC shaped as a UUID, never the credential's own id. */
export type PrincipalRef = Id<"PrincipalRef">;
/** Name of a route: lower-case words joined by `_`, chosen by the operator, not personal. */
export type RouteId = Id<"RouteId">;

/** Name of a field of the store: lower-case words joined by `_`, chosen by the operator, not personal. */
export type FieldId = Id<"FieldId">;
/** Name of a dimension of observation: lower-case words joined by `_`, chosen by the operator, not personal. */
export type DimensionId = Id<"DimensionId">;
/** A proposed value of a field. UUIDv7. */
export type CandidateId = Id<"CandidateId">;
/** The decision that wrote a field's value. UUIDv7. */
export type PromotionId = Id<"PromotionId">;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True for the one spelling of a UUID that we write: lower case with hyphens. */
export function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}

/** Takes an id that this system made (a row, a generator). Input from outside goes through the parsers of `input.ts`. */
export function trustedId<Kind extends string>(value: string): Id<Kind> {
  return value as Id<Kind>;
}
