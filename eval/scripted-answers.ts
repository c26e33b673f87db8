/** One statement of a scripted answer, in the form that an observer is asked for. */
export interface ToldObservation {
  readonly dimension: string;
  readonly text: string;
  readonly turn_ids: readonly string[];
  readonly quotes: readonly string[];
  readonly supersedes: null;
}

/** How a scripted statement is wrong; `right` where it isn't. */
export type Told = "right" | "invented" | "misplaced" | "repeated";

export interface ToldAnswer {
  readonly observations: readonly ToldObservation[];
  readonly told: Readonly<Record<Told, number>>;
}

interface SaidTurn {
  readonly id: string;
  readonly text: string;
}

const SENTENCES = new Intl.Segmenter("en", { granularity: "sentence" });
/** First match names the dimension: a plain rule, so that everybody can tell what a right answer would be. */
const DIMENSIONS: readonly (readonly [string, RegExp])[] = [
  ["goals", /\bI(?:'m| am)? (?:want|hope|plan|planning|going to|dream|wish)/],
  ["barriers", /\bI\b.*\b(?:hard|tough|struggl\w+|worried|afraid|nervous|stress\w*)\b/],
  [
    "change",
    /\bI(?:'ve)? (?:just |recently |finally )?(?:started|moved|changed|quit|lost|bought|adopted)\b/,
  ],
  ["engagement", /\bI(?:'ve)? (?:been|joined|signed|tried|go|went|took)\b/],
  ["reported_context", /\bI (?:have|live|work|love|grew up)\b/],
];
const WORDS_MIN = 5;
/** Of so many statements one is invented, one cites another turn, and one is told twice. */
const ROUND = 9;
const OBSERVATIONS_MAX = 40;

/** What a scripted model notes of a question's lines: first-person sentences by a plain rule, some of them wrong on purpose. */
export function answerObserver(prompt: string): ToldAnswer {
  const lines = parseLines(prompt);
  const dimensions = new Set(lines.flatMap(({ dimension, known }) => (known ? [] : [dimension])));
  const turns = lines.flatMap(({ turn_id: id, role, speaker, text }): readonly SaidTurn[] =>
    id && text && role === "user" && speaker === "subject" ? [{ id, text }] : [],
  );
  const observations: ToldObservation[] = [];
  const told = { right: 0, invented: 0, misplaced: 0, repeated: 0 };
  for (const [place, turn] of turns.entries())
    for (const { segment } of SENTENCES.segment(turn.text)) {
      const sentence = segment.trim();
      const dimension = DIMENSIONS.find(([, rule]) => rule.test(sentence))?.[0];
      const isStatement = !sentence.endsWith("?") && sentence.split(/\s+/).length >= WORDS_MIN;
      if (dimension === undefined || !dimensions.has(dimension) || !isStatement) continue;
      if (observations.length >= OBSERVATIONS_MAX) return { observations, told };
      const right = {
        dimension,
        text: sentence.replace(/^.*?\bI\b/, "They"),
        turn_ids: [turn.id],
        quotes: [sentence],
        supersedes: null,
      };
      const how = wrongOf(sentence, place > 0);
      told[how] += 1;
      observations.push(...wordedAs(how, right, turns[place - 1]?.id ?? turn.id));
    }
  return { observations, told };
}

/** A portrait by the same kind of rule: each observation under its dimension, and now and then one that nobody made. */
export function answerConsolidator(prompt: string): object {
  const lines = parseLines(prompt).filter(({ kind }) => kind === "fresh" || kind === "earlier");
  const dimensions = [...new Set(lines.map(({ dimension }) => dimension))];
  return {
    sections: dimensions.map((dimension, at) => {
      const own = lines.filter((line) => line.dimension === dimension).slice(-3);
      const statements = own.map(({ id, text }) => ({ text, observation_ids: [id] }));
      const foreign = { text: "They own a castle.", observation_ids: ["nobody-made-it"] };
      return {
        dimension,
        statements: at % 2 === 0 ? statements : [...statements, foreign],
      };
    }),
  };
}

/** The same for a sentence each time it is asked about. */
function wrongOf(sentence: string, hasBefore: boolean): Told {
  const place = sentence.length % ROUND;
  if (place === 3) return "invented";
  if (place === 5 && hasBefore) return "misplaced";
  return place === 7 ? "repeated" : "right";
}

function wordedAs(how: Told, right: ToldObservation, before: string): readonly ToldObservation[] {
  const quotes = right.quotes.map((quote) => `${quote} And three parrots live in my kitchen.`);
  if (how === "invented") return [{ ...right, quotes }];
  if (how === "misplaced") return [{ ...right, turn_ids: [before] }];
  return how === "repeated" ? [right, { ...right, text: `${right.text} indeed` }] : [right];
}

type Line = Readonly<Partial<Record<string, string>>>;

function parseLines(prompt: string): readonly Line[] {
  return prompt.split("\n").map((line) => JSON.parse(line) as Line);
}
