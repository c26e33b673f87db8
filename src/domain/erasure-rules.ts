import { ERASURE_REASONS, type ErasureReason } from "./erasure.js";

/** Something that was forgotten and comes again: the same person, source or text. */
export interface Returning {
  /** When it was observed in the world. */
  readonly observedAt: Date;
  /** When it was forgotten. */
  readonly forgottenAt: Date;
}

interface ReturnRule {
  /** True where an import takes it. */
  readonly takes: (item: Returning) => boolean;
  /** By what of something narrower than a person it is recognised. */
  readonly knownBy: readonly ("sessions" | "sources" | "contents" | "proposals")[];
  /** What it means, for people: what becomes of a later import, a repeated statement, a repeated request. */
  readonly import: string;
  readonly statement: string;
  readonly request: string;
}

/** What a tombstone says of something that comes again. */
export interface Tombstone {
  readonly kind: string;
  readonly reason: ErasureReason;
  /** When it was forgotten. */
  readonly recordedAt: Date;
}

/** True where an import takes what this is of. What claimed a time ahead was here, whatever it claims now. */
export function mayReturn({ kind, reason, recordedAt }: Tombstone, observedAt: Date): boolean {
  return kind !== "ahead" && RETURN_RULES[reason].takes({ observedAt, forgottenAt: recordedAt });
}

const REPEATED = "refused as `erased`: the person's kept replies went along";

/** One rule a reason. The page about forgetting shows them as a table, and a test compares it. */
export const RETURN_RULES: Readonly<Record<ErasureReason, ReturnRule>> = {
  erase: {
    takes: ({ observedAt, forgottenAt }) => observedAt > forgottenAt,
    knownBy: ["sessions", "sources", "contents", "proposals"],
    import:
      "takes what was observed after the erasure and wasn't here before, skips the rest as `erased`",
    statement: "makes a new, empty subject that says nothing of the old one",
    request: "refused as `erased`, where it would make something",
  },
  correct: {
    takes: () => false,
    knownBy: ["contents"],
    import: "skips the version that was corrected: its source, and its text",
    statement: "a new statement, which may say the old again",
    request: REPEATED,
  },
  expire: {
    takes: () => true,
    knownBy: [],
    import: "takes it, with a fresh clock",
    statement: "a new statement with a clock of its own",
    request: REPEATED,
  },
  retract: {
    takes: () => false,
    knownBy: ["sources", "proposals"],
    import: "skips the same source; another one may say the same",
    statement: "a new statement of the person's own",
    request: REPEATED,
  },
  policy: {
    takes: () => true,
    knownBy: [],
    import: "takes it, with a fresh clock",
    statement: "a new statement with a clock of its own",
    request: REPEATED,
  },
};

/** Reasons after which nothing is known again: what was forgotten for them may come as it was. */
export const RETURNING_REASONS: readonly ErasureReason[] = ERASURE_REASONS.filter(
  (reason) => RETURN_RULES[reason].knownBy.length === 0,
);
