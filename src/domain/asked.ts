import type { TextPlace } from "./quote.js";
import { lastSentenceOf } from "./sentences.js";

const MARK = /[?？؟⸮]["'”’)\]]{0,4}\s*$/u;
const GREETING =
  "(?:(?:hi|hello|hey|hallo|moin|guten \\p{L}+|good \\p{L}+|hola|ok(?:ay)?|sorry|please|bitte|and|so|but|und|aber|also)[,!.\\s]+){0,3}";
const VERB =
  "(?:am|are|is|was|were|do|does|did|can|could|may|might|should|shall|will|would|have|has|had|must)(?:n'?t)?" +
  "|bin|ist|sind|war|wäre|hab|habe|hat|haben|hätte|kann|könnte|darf|dürfte|soll|sollte|muss|müsste|will|möchte|mag|werde|wird|würde|können|dürfen|sollen|müssen";
const WHO =
  "(?:i|you|we|they|he|she|it|this|that|there|my|your|anyone|anybody|somebody|someone|ich|du|sie|er|es|wir|ihr|man|mein\\p{L}{0,2})(?![\\p{L}'])";
const WHICH =
  "(?:what|why|how|when|where|who|which|was|wie|warum|wieso|weshalb|wann|wo|woher|wohin|wer|welche[rsnm]?)(?:\\s(?!gesagt|erwähnt)\\p{L}+)?";
/** A verb before who it is about: chats leave the mark out. */
const ASKS = new RegExp(`^\\W*${GREETING}(?:${WHICH}\\s)?(?:${VERB})\\s${WHO}`, "iu");
/** A short question behind a statement: "I'm not allergic, am I". */
const ASKS_BACK = new RegExp(
  `,\\s*(?:(?:${VERB})\\s(?:not\\s)?${WHO}|oder|right|nicht wahr|verdad)[.!\\s]*$`,
  "iu",
);
/** What is said for the sake of argument. */
const SUPPOSES =
  /^\W*(?:and |so |but |und |aber )?(?:what if|let'?s (?:say|assume|pretend)|suppose|supposing|imagine|assume|assuming|if i were|angenommen|nehmen wir an|stell(?:en sie sich|t? dir|t euch) vor|was wäre,? wenn|supongamos)(?![\p{L}])/iu;

/** True where a part of a text ends in a question, or in something that is only supposed: who asks says nothing yet. */
export function isAsked(text: string, place: TextPlace): boolean {
  const { start, end } = lastSentenceOf(text, place);
  return asks(text.slice(start, end));
}

/** True for a sentence that asks or supposes, with its mark or without. */
export function asks(sentence: string): boolean {
  const said = sentence.replaceAll("\u2019", "'").trim();
  return MARK.test(said) || ASKS.test(said) || ASKS_BACK.test(said) || SUPPOSES.test(said);
}
