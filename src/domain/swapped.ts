import { anyWord, negates, saysNegative } from "./negation.js";
import { amongWords, contentWords } from "./said.js";
import { clausesOf } from "./sentences.js";

/** Words of how somebody takes something: one says the opposite of the other. */
const LIKES = anyWord(
  "lov(?:e|es|ed|ing)|lik(?:e|es|ed)|enjoy\\p{L}*|mag|liebe|gefällt|gusta|encanta",
);
const DISLIKES = anyWord("hat(?:e|es|ed|ing)|dislik\\p{L}*|loath\\p{L}*|detest\\p{L}*|hasse|odio");

/**
 * True where a part of a text says of something the opposite of what is said of it: "loves mornings and hates evenings" of "I
 * hate mornings and love evenings". Only what is said in words that deny or judge counts.
 */
export function isSwapped(text: string, said: string): boolean {
  const clauses = clausesOf(said).map((clause) => ({ clause, isIn: amongWords(topicsOf(clause)) }));
  return clausesOf(text).some((clause) => {
    const topics = topicsOf(clause);
    const judged = judgementOf(clause);
    if (topics.length === 0 || judged === 0) return false;
    const shared = clauses.map(({ isIn }) => topics.filter(isIn).length);
    const most = Math.max(0, ...shared);
    const same = clauses.filter((_, at) => most > 0 && shared[at] === most);
    return (
      same.length > 0 &&
      same.every((one) => isJudged(one.clause) && judgementOf(one.clause) === -judged)
    );
  });
}

/** What a clause is about, without how it is taken. */
function topicsOf(clause: string): readonly string[] {
  return contentWords(clause).filter(
    (one) => !LIKES.test(one) && !DISLIKES.test(one) && !negates(one),
  );
}

function isJudged(clause: string): boolean {
  return negates(clause) || LIKES.test(clause) || DISLIKES.test(clause);
}

/** 1 for yes, -1 for no, 0 where words may mean either. */
function judgementOf(clause: string): number {
  const [likes, dislikes] = [LIKES.test(clause), DISLIKES.test(clause)];
  if ((likes && dislikes) || (!dislikes && saysNegative(clause))) return 0;
  return negates(clause) === dislikes ? 1 : -1;
}
