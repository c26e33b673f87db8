import type { Action } from "./action.js";
import type { ErrorKind } from "./errors.js";
import type { PackId, RouteId, RunId, SessionId, SubjectId } from "./ids.js";
import type { Decision } from "./permit.js";
import type { MemoryProfile } from "./profile.js";

/** Kind and internal ids of rows that an operation touched, or how many where it names none of them. Never content. */
export interface Touched {
  readonly kind: string;
  readonly ids: readonly string[];
  readonly count?: number;
}

/** The clock that was applied to an operation's rows and the expiry that follows from it. */
export interface TtlPolicy {
  readonly clock:
    | "session"
    | "session_key"
    | "run"
    | "evidence"
    | "episode"
    | "observation"
    | "none";
  readonly hours: number | null;
  readonly expires_at: string | null;
}

/** What every memory operation leaves behind, allowed or denied. One audit row is made of it. */
export interface Trace {
  readonly operation: Action;
  readonly decision: Decision;
  /** Present where the operation was refused. */
  readonly refusal?: ErrorKind;
  readonly subject?: SubjectId;
  readonly session?: SessionId;
  readonly run?: RunId;
  readonly routeId?: RouteId;
  readonly routeVersion?: number;
  readonly profile?: MemoryProfile;
  readonly isolationKeys: readonly string[];
  readonly reads: readonly Touched[];
  readonly writes: readonly Touched[];
  readonly packId?: PackId;
  readonly ttl: TtlPolicy;
  readonly tokens?: number;
  /** HMAC (hex) of a foreign id that the caller named, where it was refused. */
  readonly foreign?: string;
}
