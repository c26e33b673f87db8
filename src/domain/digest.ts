import type { Deriver } from "./deriver.js";
import type { TurnId } from "./ids.js";
import type { TurnRole } from "./turn.js";

/** The lists of a digest, in its order. */
export const DIGEST_PARTS = [
  "open_questions",
  "decisions",
  "artifacts",
  "evaluator_failures",
] as const;
export type DigestPart = (typeof DIGEST_PARTS)[number];

/** One statement with what it was taken from: turns, or items of working memory as `class/key`. Never without either. */
export interface DigestEntry {
  readonly text: string;
  readonly turn_ids: readonly string[];
  readonly working: readonly string[];
}

/** What a session came to. The only form in which a conversation is kept beyond its turns. */
export type Digest = Readonly<Record<DigestPart, readonly DigestEntry[]>>;

export const EMPTY_DIGEST: Digest = Object.freeze({
  open_questions: [],
  decisions: [],
  artifacts: [],
  evaluator_failures: [],
});

export interface DigestTurn {
  readonly id: TurnId;
  readonly role: TurnRole;
  readonly text: string;
}

/** An item of a run's working memory. */
export interface DigestItem {
  readonly id: string;
  readonly class: "artifact" | "failure" | "question" | "slot";
  readonly text: string;
}

/** What a digest may be made of, and is compared with: turns and working memory of one session and route. */
export interface DigestSource {
  /** Oldest first. */
  readonly turns: readonly DigestTurn[];
  readonly items: readonly DigestItem[];
}

/** How a session's runs of a route ended, the worst of them. */
export const OUTCOMES = ["completed", "failed", "closed"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Says what a session came to; by quotes, where no model is asked. */
export type Digester = Deriver<DigestSource>;
