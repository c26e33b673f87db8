import { analyseQuestion } from "./analyse.js";
import { type Candidate, standsIn, weighConversation } from "./conversation.js";
import { firstOf } from "./first-of.js";
import { KNOWN_LANGUAGES } from "./languages.js";
import { type Searched, scoreWords } from "./score.js";
import { languageTerm } from "./terms.js";
import type { TextLanguage } from "./word.js";

export interface Asked {
  readonly question: string;
  /** What a turn of a speaker whom the question names counts, times its score: 1 is as much as others. */
  readonly speakerWeight: number;
}

export interface Ranking {
  /** Best first, at most as many as asked for. Equal scores: newer first. */
  readonly best: readonly Candidate[];
  /** Turns that a word of the question stands in. */
  readonly matched: number;
}

/** The one place that decides what comes first. */
export function rank(searched: Searched, asked: Asked, limit: number): Ranking {
  const question = analyseQuestion(asked.question, languagesOf(searched));
  const scores = scoreWords(searched, question.words);
  const isNamed = standsIn(searched, question.speakers);
  const candidates = weighConversation(searched, scores, isNamed, asked.speakerWeight);
  const best = firstOf(
    candidates,
    limit,
    (a, b) => b.score - a.score || searched.turns.newestFirst(a.slot, b.slot),
  );
  return { best, matched: scores.matched.length };
}

/** What there is to show where a question names nothing to look for. */
export function newest({ eligible, turns }: Searched, limit: number): readonly number[] {
  const slots: number[] = [];
  for (const [slot, flag] of eligible.flags.entries()) {
    if (flag === 1) slots.push(slot);
  }
  return firstOf(slots, limit, turns.newestFirst);
}

/** Languages of the eligible turns: a question is read in all of them. */
function languagesOf({ eligible: { flags }, postings }: Searched): readonly TextLanguage[] {
  return [null, ...KNOWN_LANGUAGES].filter((language) =>
    postings.standsInAny(languageTerm(language), flags),
  );
}
