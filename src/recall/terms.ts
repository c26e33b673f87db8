/** The analyser's version. Stored with the terms: terms of another version are made again from the text. */
export const ANALYSER_VERSION = 3;

// Words of a text begin with a letter or digit and dates with a digit or `--`, so these can't be taken for one.

/** A piece of a word: `~walk` stands in walks and walking. */
export function pieceTerm(letters: string): string {
  return `~${letters}`;
}

/** A word just as it was written: `=walking`, `=café`. */
export function exactTerm(spelled: string): string {
  return `=${spelled}`;
}

/** A word of the speaker's name. */
export function speakerTerm(name: string): string {
  return `@${name}`;
}

/** What language the text is in: `:en`; `:` where it is unknown. */
export function languageTerm(language: string | null): string {
  return `:${language ?? ""}`;
}

/** Stands in a text that says again what others said. */
export const DERIVED_TERM = "<";

/** Stands in a text that ends with a question. */
export const QUESTION_TERM = "?";

/** The search terms of one text: no term has a space in it. */
export interface Terms {
  /** Each different term once. */
  readonly list: readonly string[];
  /** How often the term at the same place of `list` stands in the text. */
  readonly counts: readonly number[];
  /** Words of the text, repeats included. */
  readonly length: number;
  /** A hash of the text and of who said it: the same for two that say the same, word for word, in one voice. */
  readonly said: number;
}

/** Those of a text that is never searched. */
export const NO_TERMS: Terms = { list: [], counts: [], length: 0, said: 0 };

/** One line of JSON to seal with the row: terms grouped by how often they stand in the text. */
export function encodeTerms(terms: Terms): string {
  const groups = new Map<number, string[]>();
  for (const [at, term] of terms.list.entries()) {
    const count = terms.counts[at] ?? 1;
    const group = groups.get(count);
    if (group === undefined) groups.set(count, [term]);
    else group.push(term);
  }
  const joined = [...groups].map(([count, group]) => [count, group.join(" ")]);
  return JSON.stringify({ v: ANALYSER_VERSION, n: terms.length, s: terms.said, t: joined });
}

interface Encoded {
  readonly v: number;
  readonly n: number;
  readonly s?: number;
  readonly t: readonly (readonly [count: number, terms: string])[];
}

/** The last version that found the same terms. It didn't tell what was said before. */
const SAME_TERMS_VERSION = 2;

/** Null where another version of the analyser made the terms: analyse the text again. */
export function decodeTerms(encoded: string): Terms | null {
  const terms = JSON.parse(encoded) as Encoded;
  return terms.v === ANALYSER_VERSION ? decoded(terms) : null;
}

/** Those of an episode or an observation, of which nobody asks whether the same was said before. */
export function decodeDerivedTerms(encoded: string): Terms | null {
  const terms = JSON.parse(encoded) as Encoded;
  return terms.v === ANALYSER_VERSION || terms.v === SAME_TERMS_VERSION ? decoded(terms) : null;
}

function decoded({ n, s = 0, t }: Encoded): Terms {
  const list: string[] = [];
  const counts: number[] = [];
  for (const [count, joinedTerms] of t) {
    for (const term of joinedTerms.split(" ")) {
      list.push(term);
      counts.push(count);
    }
  }
  return { list, counts, length: n, said: s };
}
