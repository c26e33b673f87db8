import type { RouteId } from "./ids.js";

export const WORK_STATES = ["queued", "running", "done", "parked"] as const;
export type WorkState = (typeof WORK_STATES)[number];

/** A part of a session: what was said after one epoch, up to another. */
export interface EpochSpan {
  readonly after_epoch: number;
  readonly epoch: number;
}

/** Which part of a session is compressed. */
export interface CompressionDetail extends EpochSpan {
  readonly data_class: string | null;
  /** Routes whose episodes are wanted; all of the session's where absent. */
  readonly routes?: readonly string[];
}

/** Which part of a session is observed: of its epochs, what stands behind a sequence number. */
export interface ObservationSpan extends EpochSpan {
  readonly after_seq: number;
  /** Sequence number up to which the routes before have been observed; none where they were to the end. */
  readonly until_seq?: number | undefined;
  /** Sequence number up to which it had been observed before: what is done again goes no further. */
  readonly last_seq?: number | undefined;
  /** The last route that has been observed of it: they go in the order of their ids. */
  readonly after_route?: RouteId | undefined;
}

/** Why a job is tried again or parked: neither whose it is nor what it was about. */
export interface JobFault {
  readonly job: string;
  readonly kind: string;
  readonly problem: string;
  readonly isParked: boolean;
  readonly cause: unknown;
}
