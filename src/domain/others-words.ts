import type { TextPlace } from "./quote.js";
import { sentencesAround, sentencesOf } from "./sentences.js";

/** Behind such a line stands what somebody else wrote, to the end of the text. */
const FORWARDED =
  /^[^\S\n]{0,20}(?:-{2,}.{0,40}(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|mensaje original).*|(?:from|von|de):.{0,80}(?:@.{1,80}|(?:\n.{0,100}){0,3}\n[^\S\n]{0,20}(?:sent|subject|gesendet|betreff|enviado|asunto):.{0,200})|(?:on|am|el) .{4,80} (?:wrote|schrieb|escribió)\b.{0,80}:|.{0,80}(?:wrote|writes|schrieb|schreibt|escribió)(?:\s.{0,40})?:)[^\S\n]*$/imu;
/** What stands in quotation marks. */
const QUOTED = /[„“«"]([^„“”«»"]{1,2000})[“”»"]/gu;
/** A text that says itself that somebody writes it for the person. */
const FOR_ANOTHER =
  /(?<![\p{L}])(?:on behalf of|im namen (?:von|mein\p{L}*)|i(?:'m| am) (?:writing|asking|calling) for my|ich schreibe für mein\p{L}*|(?:this|here) is .{1,40}'s (?:husband|wife|son|daughter|mother|father|mom|mum|dad|partner|carer|nurse)|(?:this|here) is \p{Lu}\p{L}+ for \p{Lu}\p{L}+|hier (?:ist|schreibt) (?:der|die) (?:mann|frau|sohn|tochter|mutter|vater))(?![\p{L}])/iu;

/** Somebody else's saying, before the person speaks of themselves: "My broker said I can't afford it". */
const TOLD =
  /(?<!(?<![\p{L}])(?:i|ich|we|wir)\s(?:also\s|just\s|already\s)?)(?<![\p{L}])(?:says?|saying|said|tells|told|claims|claimed|writes|wrote|texted|thinks|sagte?|sagt|meinte?|meint|behauptete?|behauptet|schrieb|schreibt|dice|dijo)(?:\s(?:me|us|to me|mir|uns|that|dass|me que|que))*\s*[:,]?\s*["\u201e\u201c]?(?:that |dass )?(?:i|i'm|i've|my|ich|mein\p{L}{0,2}|we|wir|yo|mi)(?![\p{L}])/iu;

/**
 * Where a text holds what somebody else says: all behind the head of a message that was passed on, and what stands in quotation
 * marks for more than a sentence. A short quotation stays within its sentence, which says whose it is.
 */
export function othersWords(text: string): readonly TextPlace[] {
  const head = FORWARDED.exec(text);
  const start = head?.index ?? text.length;
  const quoted = [...text.slice(0, start).matchAll(QUOTED)].flatMap(
    ({ 0: whole, 1: inner = "", index }) =>
      hasMoreSentences(inner) ? [{ start: index, end: index + whole.length }] : [],
  );
  return head === null ? quoted : [...quoted, { start, end: text.length }];
}

/** Most are a word or two. */
function hasMoreSentences(quoted: string): boolean {
  if (!/[\p{P}\n]\s*\p{L}/u.test(quoted)) return false;
  return sentencesOf(quoted).filter((one) => one.trim() !== "").length > 1;
}

/** A text without them, in sentences that stay apart. */
export function withoutOthersWords(text: string): string {
  return othersWords(text).reduceRight(
    (rest, { start, end }) => `${rest.slice(0, start)}\n\n${rest.slice(end)}`,
    text,
  );
}

/** What a turn may hold of others: all of some parts, and of short quotations what lies within. */
interface OthersPlaces {
  readonly parts: readonly TextPlace[];
  readonly quotations: readonly TextPlace[];
}

/** Each turn is read once, however many quotes of it are looked at. */
const places = new WeakMap<Said, OthersPlaces>();

interface Said {
  readonly text: string;
}

/** True where a part of a turn may be somebody else's words, though the person sent them. */
export function isOthers(turn: Said, { start, end }: TextPlace): boolean {
  const found = places.get(turn) ?? othersPlaces(turn.text);
  places.set(turn, found);
  return (
    found.parts.some((it) => it.start < end && start < it.end) ||
    found.quotations.some((it) => it.start <= start && end <= it.end) ||
    TOLD.test(sentencesAround(turn.text, { start, end }).replaceAll("\u2019", "'"))
  );
}

function othersPlaces(text: string): OthersPlaces {
  const quotations = [...text.matchAll(QUOTED)].map(({ 0: whole, index }) => ({
    start: index,
    end: index + whole.length,
  }));
  const all = { start: 0, end: text.length };
  return { parts: FOR_ANOTHER.test(text) ? [all] : othersWords(text), quotations };
}
