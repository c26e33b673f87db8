import { asSaid } from "./as-said.js";
import type { Cues } from "./cues.js";
import { whatIsLeftOut } from "./left-out.js";
import { isReversed } from "./negation.js";
import { refusedInObservation } from "./observation-refusals.js";
import {
  amongWords,
  contentWords,
  hasOwnNumber,
  hasOwnUnit,
  type Numbers,
  numbersIn,
} from "./said.js";
import { nowAndBefore } from "./said-before.js";
import { clausesToSay, type Said, saysEachInOrder } from "./said-in-order.js";
import { clausesOf } from "./sentences.js";
import { isSwapped } from "./swapped.js";
import type { ModelObservation } from "./user-model.js";

/** Which part of a statement's words its observations must have. */
const SAID_MIN = 1 / 2;
/** Clauses of a statement that is looked into, each beside each of what it cites: one of more is a list of words. */
const CLAUSES_MAX = 32;

interface Cited {
  readonly text: string;
  readonly cited: readonly string[];
}

/**
 * True for a statement that cites something, nothing that wasn't given, not only what is corrected since, and says no more than
 * what it cites. What is about safety isn't its to tell: beside the person's own words a rewrite would stand against them.
 */
export function isSupported(
  { text, cited }: Cited,
  known: ReadonlyMap<string, ModelObservation>,
  cues: Cues,
): boolean {
  const observations = [...new Set(cited)].map((id) => known.get(id));
  const given = observations.flatMap((one) => one ?? []);
  if (given.length === 0 || given.length < observations.length) return false;
  if (given.some(({ isSafety }) => isSafety) || cues.isAboutSafety(text)) return false;
  // Whatever it denies, that was said: the rules below are for what somebody worded.
  if (asSaid(given).some((own) => own.text === text)) return true;
  if (clausesOf(text).length > CLAUSES_MAX) return false;
  const standing = given.filter(({ supersededBy }) => supersededBy === null);
  const corrected = given.filter(({ supersededBy }) => supersededBy !== null);
  if (standing.length === 0 || refusedInObservation(text) !== null) return false;
  const words = contentWords(text);
  const said = words.filter(amongWords(given.flatMap((one) => readOf(one).words)));
  if (words.length === 0 || said.length < words.length * SAID_MIN) return false;
  const numbers = numbersIn(text);
  const counted = given.map((one) => readOf(one).numbers);
  if (hasOwnNumber(numbers, counted) || hasOwnUnit(numbers, counted)) return false;
  if (whatIsLeftOut(text, given.map((one) => one.text).join("\n")) !== null) return false;
  const stands = standing.map((one) => one.text).join("\n");
  const before = ownWords(corrected, standing);
  if (!names(text, before))
    return isTold(text, standing) && !isReversed(text, stands) && !isSwapped(text, stands);
  // Of what was corrected a statement may say that it was, or is no more; of what stands that it is.
  const told = nowAndBefore(text);
  return !names(told.now, before) && !names(told.before, ownWords(standing, corrected));
}

function isTold(text: string, standing: readonly ModelObservation[]): boolean {
  const clauses = standing.flatMap((one) => readOf(one).clauses);
  return saysEachInOrder(text, clauses);
}

interface Read {
  readonly words: readonly string[];
  readonly numbers: Numbers;
  readonly clauses: readonly Said[];
}

/** Each observation is read once, however many statements cite it. */
const reads = new WeakMap<ModelObservation, Read>();

function readOf(observation: ModelObservation): Read {
  const known = reads.get(observation);
  if (known !== undefined) return known;
  const { text } = observation;
  const read = {
    words: contentWords(text),
    numbers: numbersIn(text),
    clauses: clausesToSay(text),
  };
  reads.set(observation, read);
  return read;
}

/** Words of some observations that the others don't have. */
function ownWords(
  some: readonly ModelObservation[],
  others: readonly ModelObservation[],
): readonly string[] {
  const isKnown = amongWords(others.flatMap((one) => readOf(one).words));
  return some.flatMap((one) => readOf(one).words).filter((word) => !isKnown(word));
}

function names(text: string, words: readonly string[]): boolean {
  return contentWords(text).some(amongWords(words));
}
