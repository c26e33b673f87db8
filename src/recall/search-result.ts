import type { TurnId } from "../domain/ids.js";
import type { Coverage } from "./outcome.js";
import type { TextLanguage } from "./word.js";

export interface Hit {
  readonly id: TurnId;
  /** Comparable within one search only. */
  readonly score: number;
  /** What the score is made of, by name. */
  readonly parts: Readonly<Record<string, number>>;
  /** How often the same was said in the same voice further down, where each is found once. */
  readonly repeats: number;
  /** Of its text, as it was analysed. */
  readonly language: TextLanguage;
}

export interface SearchResult {
  /** Best first. */
  readonly hits: readonly Hit[];
  readonly coverage: Coverage;
  /** "recent": the question had nothing to match by, so the hits are the newest eligible turns. */
  readonly fallback: "recent" | null;
  /** The share of what the question asks for that the best match has; 1 where nothing was weighed. */
  readonly fit: number;
}
