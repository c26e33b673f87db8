import { findCredential, isChainOfThought } from "./credential-text.js";
import { MunimentError } from "./errors.js";
import { fieldPath, invalid, parseFields } from "./fields.js";
import { parseText } from "./input.js";
import { statesKycDecision } from "./kyc.js";
import { LIMITS } from "./limits.js";
import {
  type KnownObservation,
  OBSERVED_SPEAKERS,
  type Observed,
  type ObservedTurn,
  type ObserveSource,
  type Quote,
} from "./observation.js";
import { findQuote, foldQuote } from "./quote.js";
import { hasOwnNumber, isMostlySaid, plainWords } from "./said.js";
import { FIRST_PERSON, isAboutSafety, isAcknowledgement } from "./spoken.js";

const ENTRY_KEYS = ["dimension", "text", "turn_ids", "quotes", "speaker", "supersedes"] as const;

export interface Observations {
  readonly observed: readonly Observed[];
  /** What doesn't stand in the turns, by its place in the answer. */
  readonly dropped: readonly MunimentError[];
}

/** Why a text isn't kept as an observation, whoever said it; null where it may be. */
export function refusedInObservation(text: string): string | null {
  if (findCredential(text) !== null) return "holds a token or a credential";
  if (isChainOfThought(text)) return "holds a model's reasoning";
  return statesKycDecision(text) ? "is a verdict of an identity check" : null;
}

/**
 * An observer's answer, not believed: each observation has to be found in turns of the source, with a person's words among
 * them. What isn't found is left out and told; what was observed before is left out. Throws `invalid_input` for an answer
 * that hasn't the form at all.
 */
export function parseObservations(value: unknown, source: ObserveSource): Observations {
  const { observations } = parseFields(value, "", ["observations"]);
  if (!Array.isArray(observations)) throw invalid("observations", "must be a list");
  const max = LIMITS.observationsPerAnswerMax;
  if (observations.length > max) throw invalid("observations", `has more than ${max} entries`);
  const observed: Observed[] = [];
  const dropped: MunimentError[] = [];
  for (const [index, entry] of observations.entries()) {
    try {
      const one = news(parseEntry(entry, source, fieldPath("observations", index)), source);
      if (one !== null && !observed.some((other) => isSame(one, other))) observed.push(one);
    } catch (error) {
      if (!(error instanceof MunimentError)) throw error;
      dropped.push(error);
    }
  }
  return { observed, dropped };
}

function parseEntry(value: unknown, source: ObserveSource, field: string): Observed {
  const at = (key: (typeof ENTRY_KEYS)[number]) => fieldPath(field, key);
  const given = parseFields(value, field, ENTRY_KEYS);
  const dimension = source.dimensions.find(({ dimension_id: id }) => id === given.dimension);
  if (dimension === undefined) throw invalid(at("dimension"), "is no dimension");
  const text = parseText(given.text, at("text"), LIMITS.observationCharsMax).trim();
  const refused = refusedInObservation(text);
  if (refused !== null) throw invalid(at("text"), refused);
  const cited = parseCited(given.turn_ids, source, at("turn_ids"));
  const found = parseQuotes(given.quotes, cited, at("quotes"));
  const own = found.filter(({ turn, said }) => turn.role === "user" && !isAcknowledgement(said));
  const [first] = own;
  if (first === undefined) throw invalid(at("quotes"), "has no words of a person");
  if (own.some(({ turn }) => turn.speaker !== first.turn.speaker))
    throw invalid(at("quotes"), "mixes what two people said");
  const { speaker } = first.turn;
  if (speaker === "other" && FIRST_PERSON.test(text))
    throw invalid(at("text"), "is about who said it, not about the person");
  if (given.speaker !== undefined && given.speaker !== speaker)
    throw invalid(at("speaker"), `isn't who said it: one of ${OBSERVED_SPEAKERS.join(", ")}`);
  const words = plainWords(text);
  if (hasOwnNumber(words, plainWords(cited.map((turn) => turn.text).join(" "))))
    throw invalid(at("text"), "has a number that what it cites doesn't have");
  const isSaid = isMostlySaid(words, plainWords(own.map(({ said }) => said).join(" ")));
  return {
    dimension: dimension.dimension_id,
    text,
    basis: own.some(({ said }) => foldQuote(said) === foldQuote(text)) ? "quoted" : "generated",
    tier: speaker === "subject" && isSaid ? "reported" : "inferred",
    isSafety: dimension.is_safety || isAboutSafety(text),
    turnIds: cited.map(({ id }) => id),
    quotes: found.map(({ quote }) => quote),
    saidIn: first.turn.id,
    supersedes: parseSuperseded(given.supersedes, source, at("supersedes")),
  };
}

function parseCited(
  value: unknown,
  { turns }: ObserveSource,
  field: string,
): readonly ObservedTurn[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid(field, "is empty");
  if (value.length > LIMITS.observationTurnsMax) throw invalid(field, "is about too much at once");
  const cited = value.map((ref: unknown, index) => {
    const turn = turns.find(({ id }) => id === ref);
    if (turn === undefined) throw invalid(fieldPath(field, index), "is no turn of this session");
    return turn;
  });
  return [...new Set(cited)];
}

interface Found {
  readonly turn: ObservedTurn;
  readonly quote: Quote;
  readonly said: string;
}

function parseQuotes(
  value: unknown,
  cited: readonly ObservedTurn[],
  field: string,
): readonly Found[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid(field, "is empty");
  if (value.length > LIMITS.observationQuotesMax) throw invalid(field, "has too many quotes");
  return value.map((given: unknown, index) => {
    const path = fieldPath(field, index);
    const quote = parseText(given, path, LIMITS.observationCharsMax);
    for (const turn of cited) {
      const place = findQuote(turn.text, quote);
      if (place === null) continue;
      const said = turn.text.slice(place.start, place.end);
      return { turn, quote: { turn_id: turn.id, ...place }, said };
    }
    throw invalid(path, "isn't what a cited turn says");
  });
}

function parseSuperseded(
  value: unknown,
  { known }: ObserveSource,
  field: string,
): Observed["supersedes"] {
  if (value === undefined || value === null) return null;
  const superseded = known.find(({ id }) => id === value);
  if (superseded === undefined) throw invalid(field, "is no observation from before");
  return newestOf(superseded, known).id;
}

/** What stands instead of an observation by now; itself where nothing corrects it. */
function newestOf(one: KnownObservation, known: readonly KnownObservation[]): KnownObservation {
  const seen = new Set<KnownObservation>();
  let newest = one;
  while (newest.supersededBy !== null && !seen.has(newest)) {
    seen.add(newest);
    const id: string = newest.supersededBy;
    newest = known.find((other) => other.id === id) ?? newest;
  }
  return newest;
}

/**
 * The observation where it is news; null where it was observed before, in the same words or at the same place of a turn. What
 * was corrected since and is said again is news: it corrects the correction.
 */
function news(one: Observed, { known, turns }: ObserveSource): Observed | null {
  const said = known.filter(({ dimension }) => dimension === one.dimension);
  if (said.some(({ quotes }) => quotes.some((old) => one.quotes.some((own) => overlap(old, own)))))
    return null;
  const same = said.find(({ text }) => foldQuote(text) === foldQuote(one.text));
  if (same === undefined) return one;
  const newest = newestOf(same, known);
  const at = turns.find(({ id }) => id === one.saidIn)?.observedAt;
  if (newest === same || at === undefined || at <= newest.observedAt) return null;
  return { ...one, supersedes: newest.id };
}

function overlap(one: Quote, other: Quote): boolean {
  return one.turn_id === other.turn_id && one.start < other.end && other.start < one.end;
}

function isSame(one: Observed, other: Observed): boolean {
  return one.dimension === other.dimension && foldQuote(one.text) === foldQuote(other.text);
}
