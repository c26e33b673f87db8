import type { ErasureBasis } from "../domain/erasure.js";

export interface EraseSubjectBody {
  /** `policy` where no person asked for it. `erase` where absent. */
  readonly reason?: "erase" | "policy";
  /** What obliges to it. `data_subject_request` where absent. */
  readonly basis?: ErasureBasis;
}
