import { isAsked } from "./asked.js";
import type { Cues } from "./cues.js";
import { fieldPath, invalid, parseAnswered } from "./fields.js";
import { parseText } from "./input.js";
import { LIMITS } from "./limits.js";
import {
  OBSERVED_SPEAKERS,
  type Observed,
  type ObservedSpeaker,
  type ObservedTurn,
  type ObserveSource,
} from "./observation.js";
import { type Correction, mayCorrect } from "./observation-corrections.js";
import { newestOf } from "./observation-news.js";
import { type FoundQuote, parseCited, parseQuotes } from "./observation-quotes.js";
import { refusedInObservation } from "./observation-refusals.js";
import { refuseLeftOut, refuseUnsaid } from "./observation-words.js";
import { isOthers } from "./others-words.js";
import { inOwnWords, isQuote, oneLine, ownQuotes, wholeSentences } from "./own-words.js";
import { foldQuote } from "./quote.js";
import { saysInOrder } from "./said-in-order.js";
import { isTakenBack } from "./taken-back.js";

const ENTRY_KEYS = ["dimension", "text", "turn_ids", "quotes", "speaker", "supersedes"] as const;

type EntryKey = (typeof ENTRY_KEYS)[number];
type Given = Partial<Record<EntryKey, unknown>>;
type At = (key: EntryKey) => string;

/** One observation of an answer: it has to say what a person says in the words that it quotes, and no more. */
export function parseEntry(value: unknown, source: ObserveSource, field: string): Observed {
  const at: At = (key) => fieldPath(field, key);
  const given = parseAnswered(value, field, ENTRY_KEYS);
  const dimension = source.dimensions.find(({ dimension_id: id }) => id === given.dimension);
  if (dimension === undefined) throw invalid(at("dimension"), "is no dimension");
  const text = oneLine(parseText(given.text, at("text"), LIMITS.observationCharsMax));
  refuseText(text, at("text"));
  const words = findWords(given, source, at);
  const { cited, found, own, said, sentences } = words;
  const [first] = own;
  refuseSpeaker(text, given, first.turn.speaker, source.cues, at);
  const isSafety = dimension.is_safety || source.cues.isAboutSafety(text);
  refuseOtherwise(text, words, isSafety, source.cues, at);
  const isOutright = isSaidOutright(own);
  const kept = isSafety ? inOwnWords(first) : text;
  refuseText(kept, at("quotes"));
  const correction = {
    dimension: dimension.dimension_id,
    text,
    said,
    outright: isOutright ? sentences : "",
    turn: first.turn,
  };
  // A danger isn't lost for what it was said to correct.
  const isLost = isSafety && !source.known.some(({ id }) => id === given.supersedes);
  const superseded = isLost ? null : given.supersedes;
  return {
    dimension: dimension.dimension_id,
    text: kept,
    basis: isSafety || isQuote(text, own) ? "quoted" : "generated",
    // One word that isn't theirs may be the medicine; one that is left out, whose it is.
    tier: isOutright && saysInOrder(text, sentences) ? "reported" : "inferred",
    isSafety,
    // What it doesn't quote, it doesn't rest on.
    turnIds: cited.filter(({ id }) => found.some(({ turn }) => turn.id === id)).map(({ id }) => id),
    quotes: found.map(({ quote }) => quote),
    said: foldedWords(own),
    saidIn: first.turn.id,
    supersedes: parseSuperseded(superseded, source, correction, at("supersedes")),
  };
}

interface Words {
  readonly cited: readonly ObservedTurn[];
  readonly found: readonly FoundQuote[];
  /** Those quotes in which one person says something. */
  readonly own: readonly [FoundQuote, ...FoundQuote[]];
  readonly said: string;
  /** The whole sentences of `said`; nothing where one is too long to be held to. */
  readonly sentences: string;
}

function findWords(given: Given, source: ObserveSource, at: At): Words {
  const cited = parseCited(given.turn_ids, source, at("turn_ids"));
  const found = parseQuotes(given.quotes, cited, at("quotes"));
  const own = ownQuotes(found, source.cues, at("quotes"));
  const said = own.map((one) => one.said).join("\n");
  return { cited, found, own, said, sentences: wholeSentences(own) };
}

function refuseText(text: string, field: string): void {
  const refused = refusedInObservation(text);
  if (refused !== null) throw invalid(field, refused);
}

function refuseSpeaker(
  text: string,
  given: Given,
  speaker: ObservedSpeaker,
  cues: Cues,
  at: At,
): void {
  if (speaker === "other" && cues.of(text).speaksOfSelf(text))
    throw invalid(at("text"), "is about who said it, not about the person");
  if (given.speaker !== undefined && given.speaker !== speaker)
    throw invalid(at("speaker"), `isn't who said it: one of ${OBSERVED_SPEAKERS.join(", ")}`);
}

/** Refuses a text that says more than was said, or otherwise. A danger is kept in the whole sentence, whatever the text leaves out of it. */
function refuseOtherwise(
  text: string,
  { cited, own, said, sentences }: Words,
  isSafety: boolean,
  cues: Cues,
  at: At,
): void {
  const { speaker } = own[0].turn;
  const turns = cited.filter((turn) => turn.role === "user" && turn.speaker === speaker);
  refuseUnsaid(text, said, { turns, cues }, at("text"));
  if (isSafety) return;
  refuseLeftOut(text, sentences === "" ? said : sentences, speaker, at("text"));
  if (own.some(({ turn, quote }) => isTakenBack(turn.text, quote)))
    throw invalid(at("quotes"), "is taken back in the next sentence");
}

/** By the person themself, and not asked, supposed, cited or taken back. */
function isSaidOutright(own: readonly FoundQuote[]): boolean {
  return own.every(
    ({ turn, quote }) =>
      turn.speaker === "subject" &&
      !isTakenBack(turn.text, quote) &&
      !isAsked(turn.text, quote) &&
      !isOthers(turn, quote),
  );
}

function foldedWords(own: readonly FoundQuote[]): string {
  const lines = own.map(({ said }) => foldQuote(said));
  return lines.join("\n").slice(0, LIMITS.observationSaidCharsMax).toWellFormed();
}

/** Null too where what would be corrected was said later, or isn't this one's to take back. */
function parseSuperseded(
  value: unknown,
  { known, cues }: ObserveSource,
  { turn, ...one }: Omit<Correction, "speaker"> & { readonly turn: ObservedTurn },
  field: string,
): Observed["supersedes"] {
  if (value === undefined || value === null) return null;
  const superseded = known.find(({ id }) => id === value);
  if (superseded === undefined) throw invalid(field, "is no observation from before");
  const newest = newestOf(superseded, known);
  const isOlder = newest.observedAt <= turn.observedAt;
  const holds = isOlder && mayCorrect({ ...one, speaker: turn.speaker }, newest, cues);
  return holds ? newest.id : null;
}
