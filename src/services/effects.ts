import type { Pin } from "../domain/pin.js";
import type { Touched, Trace, TtlPolicy } from "../domain/trace.js";

/** What an operation did, for its audit row. */
export interface Effects {
  /** The pin that the rows belong to, where the operation as a whole isn't about one run. */
  readonly pin?: Pin;
  readonly reads?: readonly Touched[];
  readonly writes?: readonly Touched[];
  readonly ttl?: TtlPolicy;
  readonly tokens?: number;
  readonly packId?: Trace["packId"];
}
