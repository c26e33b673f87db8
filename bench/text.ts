const COMMON =
  "the a to of and in is it for on that with was my we you about this from have at be not there when what which account card bank please called again still today".split(
    " ",
  );
const TOPICS =
  "fee charge transfer payment refund balance statement branch manager holiday flight hotel train ticket garden kitchen window doctor dentist clinic school teacher lesson exam painting concert guitar piano camera museum beach mountain river forest village city market bakery coffee dinner breakfast recipe chicken tomato cheese bread sister brother mother father cousin neighbour wedding birthday anniversary baby puppy kitten parrot horse bicycle motorbike car engine garage insurance mortgage loan interest deposit withdrawal cheque currency dollar euro pound passport visa licence address postcode phone email password letter parcel courier warehouse order invoice receipt discount voucher warranty repair battery charger laptop keyboard printer screen software update internet router modem contract lawyer court police fire storm flood winter summer autumn spring morning evening Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February April June August October December Sydney Melbourne Perth Auckland London Paris Berlin Tokyo Lisbon Oslo football tennis swimming yoga running marathon cycling chess puzzle novel poem theatre cinema series podcast radio newspaper volunteer charity community meeting project deadline promotion salary bonus interview colleague office factory hospital pharmacy medicine allergy headache fever surgery therapy blood pressure weight diet vegetarian vitamin sleep dream travel luggage airport station bridge harbour island desert camping tent lantern compass map journey adventure".split(
    " ",
  );
const VERBS =
  "booked cancelled changed paid refused disputed moved opened closed visited painted finished started missed found lost repaired ordered returned promised explained forgot remembered planned celebrated adopted joined".split(
    " ",
  );
const RARE_WORDS = [...TOPICS, ...VERBS];
const WORDS_A_TURN = 21;

/** Numbers in [0, 1) that are the same on each run. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A telling word, the first ones more often, as in a language. */
function rareWord(random: () => number): string {
  return RARE_WORDS[Math.floor(RARE_WORDS.length * random() ** 1.5)] ?? "fee";
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
