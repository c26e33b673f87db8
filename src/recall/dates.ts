const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
] as const;

const MONTH =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";
const YEAR = "(\\d{4})";
const START = "(?<![\\p{L}\\p{N}])";
const END = "(?![\\p{L}\\p{N}])";

const YEAR_MONTH_DAY = new RegExp(
  `${START}${YEAR}([-./])(\\d{1,2})\\2(\\d{1,2})(?=t\\d|[^\\p{L}\\p{N}]|$)`,
  "gu",
);
const YEAR_MONTH = new RegExp(`${START}${YEAR}-(\\d{2})${END}(?!-\\d)`, "gu");
const NUMBERS_YEAR = new RegExp(`${START}(\\d{1,2})([./-])(\\d{1,2})\\2${YEAR}${END}`, "gu");
const DAY_MONTH = new RegExp(
  `${START}${DAY}(?: of)?[ -]${MONTH}${END}(?:\\.?,?[ -]${YEAR}${END})?`,
  "gu",
);
const MONTH_DAY = new RegExp(`${START}${MONTH}\\.? ${DAY}${END}(?:,? ${YEAR}${END})?`, "gu");
const MONTH_OF_YEAR = new RegExp(`${START}${MONTH}\\.?,? (?:of )?${YEAR}${END}`, "gu");

type Emit = (term: string) => void;

/**
 * Emits each date of a folded text in one spelling, whole and in parts: `2026-03-01`, `2026-03`, `--03-01`, `march`.
 * Where day and month can't be told apart (`01/03/2026`), both readings.
 */
export function emitDates(text: string, emit: Emit): void {
  if (!/\d/.test(text)) return;
  for (const [, year = "", , month, day] of text.matchAll(YEAR_MONTH_DAY))
    emitDate(year, Number(month), Number(day), emit);
  for (const [, year = "", month] of text.matchAll(YEAR_MONTH))
    emitDate(year, Number(month), 0, emit);
  for (const [, first, , second, year = ""] of text.matchAll(NUMBERS_YEAR)) {
    emitDate(year, Number(second), Number(first), emit);
    if (first !== second) emitDate(year, Number(first), Number(second), emit);
  }
  for (const [, day, month = "", year = ""] of text.matchAll(DAY_MONTH))
    emitDate(year, monthOf(month), Number(day), emit);
  for (const [, month = "", day, year = ""] of text.matchAll(MONTH_DAY))
    emitDate(year, monthOf(month), Number(day), emit);
  for (const [, month = "", year = ""] of text.matchAll(MONTH_OF_YEAR))
    emitDate(year, monthOf(month), 0, emit);
}

/** The day as people write it: `8 May 2023`, in UTC. */
export function spellDay(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ""} ${date.getUTCFullYear()}`;
}

function monthOf(word: string): number {
  return MONTHS.findIndex((month) => month.startsWith(word.slice(0, 3))) + 1;
}

/** `year` may be empty, `day` may be 0: unknown. What is no day of a calendar emits nothing. */
function emitDate(year: string, month: number, day: number, emit: Emit): void {
  const name = MONTHS[month - 1];
  if (name === undefined || day > 31) return;
  const mm = String(month).padStart(2, "0");
  const dd = String(day).padStart(2, "0");
  if (year !== "") emit(`${year}-${mm}`);
  if (day > 0) emit(`--${mm}-${dd}`);
  if (year !== "" && day > 0) emit(`${year}-${mm}-${dd}`);
  emit(`--${name}`);
}
