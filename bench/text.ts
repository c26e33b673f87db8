const COMMON =
  "the a to of and in is it for on that with was my we you about this from have at be not there when what which account card bank please called again still today".split(
    " ",
  );
const SYLLABLES =
  "ba ce di fo gu har in ka lem mo ner os pri qua rel sta tor un ver wil yo zen".split(" ");
const RARE_WORDS = 2_000;
const WORDS_A_TURN = 20;

/** Numbers in [0, 1) that are the same on each run. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One of 2,000 words, the first ones far more often, as in a language. */
function rareWord(random: () => number): string {
  let rank = Math.floor(RARE_WORDS ** random());
  let word = "";
  for (let part = 0; part < 3; part++) {
    word += SYLLABLES[rank % SYLLABLES.length];
    rank = Math.floor(rank / SYLLABLES.length) + part + 1;
  }
  return word;
}

/** A source of utterances of about 120 characters and of questions about them. */
export interface Speech {
  turn(): string;
  question(): string;
}

export function speechFrom(seed: number): Speech {
  const random = randomFrom(seed);
  const common = () => COMMON[Math.floor(random() * COMMON.length)] ?? "the";
  const words = (count: number, commonShare: number) =>
    Array.from({ length: count }, () => (random() < commonShare ? common() : rareWord(random)));
  return {
    turn() {
      const said = words(WORDS_A_TURN, 0.55).join(" ");
      return random() < 0.3 ? `${said} $${Math.floor(random() * 10_000) / 100}` : said;
    },
    question: () => `${words(5, 0.4).join(" ")}?`,
  };
}

/** A stage's output as a tool would give it: about 200 characters of JSON. */
export function stageOutput(speech: Speech, step: number): Record<string, unknown> {
  return { step, amount: 42.5, currency: "AUD", summary: speech.turn(), found: true };
}
