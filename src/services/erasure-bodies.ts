import type { ErasureBasis } from "../domain/erasure.js";

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
