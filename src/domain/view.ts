/** The narrative of a person. Beside it: projections of connector events, by their own names. */
export const USER_MODEL = "user_model";
/** What counts now, key by key. Computed where it is asked for, never kept. */
export const FOLD = "fold";

/** A view as it is written. */
export interface NewView {
  readonly viewId: string;
  /**
   * Subject's revision that it was read at. Each publish of a view has read a later one than the last, so that a version never
   * comes twice, not even after the view was dropped.
   */
  readonly version: number;
  /** Everything up to this revision of the subject is in it. */
  readonly revision: number;
  /** Ids of the observations or events that it cites. */
  readonly depends: readonly string[];
}

/**
 * `valid`: it knows all that was observed. `stale`: something was observed since. `rebuilding`: it was never made, or went with
 * what it was made of. `empty`: there is nothing to make it of.
 */
export type ViewState = "valid" | "stale" | "rebuilding" | "empty";

export function viewState(isThere: boolean, pending: number): ViewState {
  if (isThere) return pending > 0 ? "stale" : "valid";
  return pending > 0 ? "rebuilding" : "empty";
}
