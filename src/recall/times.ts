import * as de from "chrono-node/de";
import * as en from "chrono-node/en";
import * as es from "chrono-node/es";
import * as fr from "chrono-node/fr";
import * as nl from "chrono-node/nl";
import * as pt from "chrono-node/pt";
import * as ru from "chrono-node/ru";
import type { Language } from "./word.js";

/** From a time on, until before another. */
export interface Interval {
  readonly from: Date;
  readonly until: Date;
}

const PARSERS: Partial<Record<Language, Pick<typeof en, "casual">>> = {
  de,
  en,
  es,
  fr,
  nl,
  pt,
  ru,
};

const DAY_MS = 86_400_000;

/** Numbers of people: phones, accounts, orders, amounts. The parser would take pieces of them for days and hours. */
const PERSONAL_NUMBER = /\p{L}{0,12}\d[\d-]*[ -]\d[\d -]{3,}|\p{L}{1,12}-?\d+|\d+[.,]\d+|\d{5,}/gu;
/** Dates look like them and are none. */
const DATE = /\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/;

const MONTHS =
  /\b(?:last|in|of|since|during) (january|february|march|april|may|june|july|august|september|october|november|december)\b(?!,? (?:\d|of))/i;
const YEAR = /\b(?:in|of|during|since) ((?:19|20)\d\d)\b/i;

/** The time that a question names, seen from `now`; null where it names none. Always in UTC. */
export function intervalOf(
  question: string,
  language: Language | null,
  now: Date,
): Interval | null {
  const text = question.replace(PERSONAL_NUMBER, (number) =>
    DATE.test(number) ? number : " ".repeat(number.length),
  );
  return lastMonthOf(text, now) ?? parsed(text, language, now) ?? yearOf(text);
}

/** `last May`: the parser leaves it, because may is a verb too. */
function lastMonthOf(text: string, now: Date): Interval | null {
  const name = MONTHS.exec(text)?.[1];
  if (name === undefined) return null;
  const month = new Date(`${name} 1 2000 UTC`).getUTCMonth();
  const year = now.getUTCFullYear() - (month > now.getUTCMonth() ? 1 : 0);
  return { from: new Date(Date.UTC(year, month)), until: new Date(Date.UTC(year, month + 1)) };
}

function yearOf(text: string): Interval | null {
  const year = Number(YEAR.exec(text)?.[1]);
  if (Number.isNaN(year)) return null;
  return { from: new Date(Date.UTC(year, 0)), until: new Date(Date.UTC(year + 1, 0)) };
}

function parsed(text: string, language: Language | null, now: Date): Interval | null {
  const { casual } = PARSERS[language ?? "en"] ?? en;
  const [found] = casual.parse(text, { instant: now, timezone: 0 });
  if (found === undefined) return null;
  const { start, end } = found;
  const first = spanOf(start, found.text);
  const last = end ? spanOf(end, found.text) : first;
  // A month or weekday without its year was the last one: nothing is remembered from the future.
  const ahead = first.from > now && !start.isCertain("year") ? 1 : 0;
  return { from: yearsBefore(first.from, ahead), until: yearsBefore(last.until, ahead) };
}

/** As exact as the words are: people who say `two weeks ago` don't mean one day. */
function spanOf(time: Pick<en.ParsingComponents, "date" | "isCertain">, words: string): Interval {
  const date = time.date();
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (/week|woche|semana|semaine|недел/i.test(words)) return around(date, 4);
  if (
    time.isCertain("day") ||
    time.isCertain("weekday") ||
    (!time.isCertain("year") && !time.isCertain("month"))
  )
    return around(date, 1);
  if (time.isCertain("month"))
    return { from: new Date(Date.UTC(year, month)), until: new Date(Date.UTC(year, month + 1)) };
  return { from: new Date(Date.UTC(year, 0)), until: new Date(Date.UTC(year + 1, 0)) };
}

/** The day of a time and some on each side: a day is spoken of the day after. */
function around(date: Date, days: number): Interval {
  const day = Math.floor(date.getTime() / DAY_MS) * DAY_MS;
  return { from: new Date(day - (days - 1) * DAY_MS), until: new Date(day + (days + 1) * DAY_MS) };
}

function yearsBefore(date: Date, years: number): Date {
  const moved = new Date(date);
  moved.setUTCFullYear(moved.getUTCFullYear() - years);
  return moved;
}
