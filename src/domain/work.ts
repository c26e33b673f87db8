export const WORK_STATES = ["queued", "running", "done", "parked"] as const;
export type WorkState = (typeof WORK_STATES)[number];

/** Which part of a session is compressed: what was said after one epoch, up to another. */
export interface CompressionDetail {
  readonly after_epoch: number;
  readonly epoch: number;
  readonly data_class: string | null;
  /** Routes whose episodes are wanted; all of the session's where absent. */
  readonly routes?: readonly string[];
}
