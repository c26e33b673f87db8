import type { ErasureBasis, ErasureReason, HoldScope } from "../domain/erasure.js";

export interface EraseSubjectBody {
  /** `policy` where no person asked for it. `erase` where absent. */
  readonly reason?: "erase" | "policy";
  /** What obliges to it. `data_subject_request` where absent. */
  readonly basis?: ErasureBasis;
}

export interface VerifyErasureBody {
  /** As it was answered. One that was changed isn't valid. */
  readonly receipt?: Readonly<Record<string, unknown>>;
}

export interface FindTextBody {
  readonly text: string;
}

export interface EraseScopeBody {
  /** The application's own id of a session or a source, the name of a field, or one of our ids. */
  readonly target: string;
  /** Decides what may come again. `erase` where absent. */
  readonly reason?: ErasureReason;
  readonly basis?: ErasureBasis;
  /** What stands instead of a turn or a source that is corrected. */
  readonly text?: string;
}

export interface PlaceHoldBody {
  /** All of the person where absent. */
  readonly covers?: HoldScope;
  /** What of the person, by the application's id or by ours. */
  readonly target?: string;
  readonly basis?: ErasureBasis;
}

/** Nothing is asked for but the person. */
export type RotateKeyBody = Readonly<Record<string, never>>;

export interface ListHoldsQuery {
  readonly limit?: number;
  readonly cursor?: string;
}
