// INVARIANT: in a list of a pack a line that begins one item was begun by us. A value can't begin one, nor end its own.

/** Whatever some reader takes for the end of a line, other controls too, with the space around it. */
const BREAKS = /\s*(?!\t)[\p{Cc}\p{Zl}\p{Zp}]\s*/gu;

/** Marks with which our own words part what was given from what we say of it. */
const OUR_MARKS = /[(),"\u23ce]/u;

/** A text as one line of a list. Where it broke stays visible. */
export function oneLine(text: string): string {
  return text.trim().replace(BREAKS, " ⏎ ");
}

/** A value as it stands among words of ours: in quotes as soon as it has any of our marks, so that it can't end and speak for us. */
export function asValue(text: string): string {
  const line = oneLine(text);
  return OUR_MARKS.test(line) ? JSON.stringify(line) : line;
}
