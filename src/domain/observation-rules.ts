import { isAsked } from "./asked.js";
import { findCredential, isChainOfThought } from "./credential-text.js";
import { MunimentError } from "./errors.js";
import { fieldPath, invalid, parseAnswered } from "./fields.js";
import { parseText } from "./input.js";
import { statesKycDecision } from "./kyc.js";
import { LIMITS } from "./limits.js";
import {
  OBSERVED_SPEAKERS,
  type Observed,
  type ObservedSpeaker,
  type ObservedTurn,
  type ObserveSource,
} from "./observation.js";
import { type Correction, mayCorrect } from "./observation-corrections.js";
import { newestOf, newsBeside, repeats } from "./observation-news.js";
import { parseCited, parseQuotes } from "./observation-quotes.js";
import { refuseLeftOut, refuseUnsaid } from "./observation-words.js";
import { isOthers } from "./others-words.js";
import { inOwnWords, isQuote, oneLine, ownQuotes, wholeSentences } from "./own-words.js";
import { foldQuote } from "./quote.js";
import { saysInOrder } from "./said-in-order.js";
import { inOneGo, type Steps } from "./steps.js";
import { isTakenBack } from "./taken-back.js";

/** Marks that turn the direction of a text, and tags: they show a reader something else than they hold. */
const MISLEADING = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

const ENTRY_KEYS = ["dimension", "text", "turn_ids", "quotes", "speaker", "supersedes"] as const;

export interface Observations {
  /** What is news. */
  readonly observed: readonly Observed[];
  /** How many stand in the turns, those that were observed before among them. */
  readonly found: number;
  /** What doesn't stand in the turns, by its place in the answer. */
  readonly dropped: readonly MunimentError[];
}

/** Why a text isn't kept as an observation, whoever said it; null where it may be. */
export function refusedInObservation(text: string): string | null {
  if (findCredential(text) !== null) return "holds a token or a credential";
  if (isChainOfThought(text)) return "holds a model's reasoning";
  if (MISLEADING.test(text)) return "holds marks of direction, or tags, that nobody sees";
  return statesKycDecision(text) ? "is a verdict of an identity check" : null;
}

/**
 * An observer's answer, not believed: each observation has to be found in turns of the source, with a person's words among
 * them. What isn't found, or has no room, is left out and told; what was observed before is left out. Throws `invalid_input`
 * for an answer that hasn't the form at all.
 */
export function parseObservations(value: unknown, source: ObserveSource): Observations {
  return inOneGo(checkObservations(value, source));
}

/** The same, entry by entry. */
export function* checkObservations(value: unknown, source: ObserveSource): Steps<Observations> {
  const { observations } = parseAnswered(value, "", ["observations"]);
  if (!Array.isArray(observations)) throw invalid("observations", "must be a list");
  const asNews = newsBeside(source);
  const observed: Observed[] = [];
  const dropped: MunimentError[] = [];
  for (const [index, entry] of observations.entries()) {
    yield;
    const at = fieldPath("observations", index);
    try {
      if (index >= LIMITS.observationsPerAnswerMax)
        throw invalid(
          at,
          `is beyond the ${LIMITS.observationsPerAnswerMax} that one answer may hold`,
        );
      const one = asNews(parseEntry(entry, source, at));
      if (one !== null && !observed.some((other) => repeats(one, other))) observed.push(one);
    } catch (error) {
      if (!(error instanceof MunimentError)) throw error;
      dropped.push(error);
    }
  }
  return { observed, found: observations.length - dropped.length, dropped };
}

function parseEntry(value: unknown, source: ObserveSource, field: string): Observed {
  const at = (key: (typeof ENTRY_KEYS)[number]) => fieldPath(field, key);
  const given = parseAnswered(value, field, ENTRY_KEYS);
  const dimension = source.dimensions.find(({ dimension_id: id }) => id === given.dimension);
  if (dimension === undefined) throw invalid(at("dimension"), "is no dimension");
  const text = oneLine(parseText(given.text, at("text"), LIMITS.observationCharsMax));
  const refused = refusedInObservation(text);
  if (refused !== null) throw invalid(at("text"), refused);
  const cited = parseCited(given.turn_ids, source, at("turn_ids"));
  const found = parseQuotes(given.quotes, cited, at("quotes"));
  const { cues } = source;
  const own = ownQuotes(found, cues, at("quotes"));
  const [first] = own;
  const { speaker } = first.turn;
  if (speaker === "other" && cues.of(text).speaksOfSelf(text))
    throw invalid(at("text"), "is about who said it, not about the person");
  if (given.speaker !== undefined && given.speaker !== speaker)
    throw invalid(at("speaker"), `isn't who said it: one of ${OBSERVED_SPEAKERS.join(", ")}`);
  const said = own.map((one) => one.said).join("\n");
  refuseUnsaid(text, said, { turns: turnsBy(speaker, cited), cues }, at("text"));
  const isSafety = dimension.is_safety || cues.isAboutSafety(text);
  const sentences = wholeSentences(own);
  // A danger is kept in the whole sentence, whatever the text leaves out of it.
  if (!isSafety) refuseLeftOut(text, sentences === "" ? said : sentences, speaker, at("text"));
  const isBack = own.some(({ turn, quote }) => isTakenBack(turn.text, quote));
  if (isBack && !isSafety) throw invalid(at("quotes"), "is taken back in the next sentence");
  const isOutright =
    speaker === "subject" &&
    !isBack &&
    !own.some(({ turn, quote }) => isAsked(turn.text, quote) || isOthers(turn, quote));
  const kept = isSafety ? inOwnWords(first) : text;
  const refusedKept = refusedInObservation(kept);
  if (refusedKept !== null) throw invalid(at("quotes"), refusedKept);
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
    said: own
      .map((one) => foldQuote(one.said))
      .join("\n")
      .slice(0, LIMITS.observationSaidCharsMax)
      .toWellFormed(),
    saidIn: first.turn.id,
    supersedes: parseSuperseded(
      // A danger isn't lost for what it was said to correct.
      isSafety && !source.known.some(({ id }) => id === given.supersedes) ? null : given.supersedes,
      source,
      {
        dimension: dimension.dimension_id,
        text,
        said,
        outright: isOutright ? sentences : "",
        turn: first.turn,
      },
      at("supersedes"),
    ),
  };
}

function turnsBy(
  speaker: ObservedSpeaker,
  turns: readonly ObservedTurn[],
): readonly ObservedTurn[] {
  return turns.filter((turn) => turn.role === "user" && turn.speaker === speaker);
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
