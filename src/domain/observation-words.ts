import { invalid } from "./fields.js";
import { whatIsLeftOut } from "./left-out.js";
import { isReversed } from "./negation.js";
import type { ObservedSpeaker, ObservedTurn, ObserveSource } from "./observation.js";
import { hasOwnNumber, hasOwnUnit, type Numbers, numbersIn, shareSaid } from "./said.js";
import { isSwapped } from "./swapped.js";

/** Which part of an observation's words the person must have said. */
const SAID_MIN = 1 / 2;

/** Each turn is read once, however many statements cite it and however often an answer is checked. */
const turnNumbers = new WeakMap<ObservedTurn, Numbers>();

function numbersOf(turn: ObservedTurn): Numbers {
  const numbers = turnNumbers.get(turn) ?? numbersIn(turn.text);
  turnNumbers.set(turn, numbers);
  return numbers;
}

/** Refuses a text that says something else than its person's quotes, or more than words can carry. */
export function refuseUnsaid(
  text: string,
  said: string,
  { turns, cues }: Pick<ObserveSource, "turns" | "cues">,
  field: string,
): void {
  const numbers = numbersIn(text);
  const cited = turns.map(numbersOf);
  if (hasOwnNumber(numbers, cited))
    throw invalid(field, "has a number that the person's turns don't have");
  if (hasOwnUnit(numbers, cited))
    throw invalid(field, "has a number with another unit than the person's turns have");
  if (shareSaid(text, said) < SAID_MIN) throw invalid(field, "isn't in the person's quoted words");
  if (cues.isAboutSafety(text) && !cues.isAboutSafety(said))
    throw invalid(field, "tells of a danger that the person's quoted words don't");
  if (isReversed(text, said) || isSwapped(text, said))
    throw invalid(field, "says the opposite of the quoted words");
}

/** Refuses a text that leaves out of its person's words whose it is, or that it isn't so. Of somebody else it may say less. */
export function refuseLeftOut(
  text: string,
  said: string,
  speaker: ObservedSpeaker,
  field: string,
): void {
  const left = whatIsLeftOut(text, said);
  if (left === "whether") throw invalid(field, "leaves out that it isn't so, or not yet");
  if (left === "whose" && speaker === "subject") throw invalid(field, "leaves out whose it is");
}
