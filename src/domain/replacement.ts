import type { TextCues } from "./cues.js";
import { otherSubjectOf } from "./left-out.js";
import { anyWord, negates } from "./negation.js";
import { amongWords, contentWords, isSameWord } from "./said.js";
import { clausesOf } from "./sentences.js";

/** What comes beside something takes nothing back. */
const BESIDE = anyWord(
  "also|too|as well|in addition|besides|auch|noch|außerdem|zusätzlich|también|además",
);
/** Behind these stands what is replaced. */
const INSTEAD_OF =
  /(?<![\p{L}])(?:instead of|rather than|anstatt|statt|en lugar de|en vez de)(?![\p{L}])/iu;
/** Words with which it is said that something is over: since when, and that it doesn't fit. */
const OVER =
  /^(?:more|anymore|longer|mehr|länger|ya|prefer|want|like|take|have|works?|suits?|fits?|passt|passen|geht|gehen|gilt)$/;

/** True where two sentences may be about the same: the person, or the same other one, and not one beside the other. */
export function isAboutSame(said: string, before: string): boolean {
  const [now, then] = [otherSubjectOf(said), otherSubjectOf(before)];
  const isSame = now === null || then === null ? now === then : isSameWord(now, then);
  return isSame && !BESIDE.test(said);
}

/**
 * True where a sentence with a phrase of correction says by its own words what it stands instead of. What it says is over, or
 * replaced, is all among what was said before; "from now on" and "instead" speak for themselves. A guess that is wrong hides
 * what still holds, and two that stand each with its time hide nothing.
 */
export function replaces(
  said: string,
  before: string,
  cues: Pick<TextCues, "hasCorrection">,
): boolean {
  if (!isAboutSame(said, before)) return false;
  const isOld = amongWords(contentWords(before));
  const [, replaced] = said.split(INSTEAD_OF);
  if (replaced !== undefined && !contentWords(replaced).some(isOld)) return false;
  return clausesOf(said).every((clause) => {
    if (!cues.hasCorrection(clause) || !negates(clause)) return true;
    return contentWords(clause).every((word) => isOld(word) || OVER.test(word) || negates(word));
  });
}
