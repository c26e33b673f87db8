import type { ErasureReason } from "./erasure.js";

/** What comes again after something was forgotten. */
export interface Returning {
  /** When it was observed in the world. */
  readonly observedAt: Date;
  /** When it was forgotten. */
  readonly forgottenAt: Date;
  /** Its source's revision is later than the one that was forgotten. */
  readonly isNewer: boolean;
  /** It says something else than what was forgotten. */
  readonly isDifferent: boolean;
  /** Its own clock, from when it was observed, is over. */
  readonly isOver: boolean;
}

interface ReturnRule {
  /** True where an import takes it. */
  readonly takes: (item: Returning) => boolean;
  /** The same in words, for people: what becomes of a later import, a repeated statement, a repeated request. */
  readonly import: string;
  readonly statement: string;
  readonly request: string;
}

const REPEATED = "refused as `erased`: the person's kept replies went along";

/** One rule a reason. The page about forgetting shows them as a table, and a test compares it. */
export const RETURN_RULES: Readonly<Record<ErasureReason, ReturnRule>> = {
  erase: {
    takes: ({ observedAt, forgottenAt }) => observedAt > forgottenAt,
    import: "takes what was observed after the erasure, skips the rest as `erased`",
    statement: "makes a new, empty subject that says nothing of the old one",
    request: "refused as `erased`, where it would make something",
  },
  correct: {
    takes: ({ isDifferent }) => isDifferent,
    import: "skips the version that was corrected",
    statement: "a new statement, which may say the old again",
    request: REPEATED,
  },
  expire: {
    takes: ({ isOver }) => !isOver,
    import: "takes it with a fresh clock, unless its own is over already",
    statement: "a new statement with a clock of its own",
    request: REPEATED,
  },
  retract: {
    takes: ({ isNewer }) => isNewer,
    import: "skips the same source at the same or an older revision, takes a newer one",
    statement: "a new statement of the person's own",
    request: REPEATED,
  },
  policy: {
    takes: ({ isOver }) => !isOver,
    import: "takes it with a fresh clock, unless its own is over already",
    statement: "a new statement with a clock of its own",
    request: REPEATED,
  },
};
