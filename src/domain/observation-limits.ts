/** Bounds of what is observed of a person: part of `LIMITS`. */
export const OBSERVATION_LIMITS = {
  /** Days that an observation is kept where the operator says nothing; never longer than the turns that it cites. */
  observationDays: 365,
  /** Characters of an observation, or of one of its quotes: a sentence or two. */
  observationCharsMax: 400,
  /** Turns that one observation cites. */
  observationTurnsMax: 8,
  /** Quotes of one observation. */
  observationQuotesMax: 4,
  /** Characters of the quoted words that are kept to compare others with: those of all quotes, as a rule. */
  observationSaidCharsMax: 1_600,
  /** Observations of one answer: a conversation that told more is observed by its strongest. */
  observationsPerAnswerMax: 64,
  /** Earlier observations that an observer is shown, newest first. */
  observationsKnownMax: 200,
  /** Observations of a subject that one recall searches, newest kept. */
  observationsSearchedMax: 2_000,
  /** Turns of a session that one job observes; the next job goes on. */
  observeTurnsMax: 200,
  /** Characters of the turns that one job observes, once there is one: about a tenth of what today's models read. */
  observeCharsMax: 60_000,
  /** Characters of the name of a model that worded an observation. */
  modelNameCharsMax: 256,
  /** Closed or idle sessions of a tenant that one sweep gives to observation. */
  observeLeftOverMax: 100,
  /** Dimensions of a tenant beside those of the platform: each is asked for in each question to a model. */
  dimensionsMax: 64,
  /** Characters of a dimension's description. */
  dimensionCharsMax: 300,
  /** Phrases by which the built-in observer knows a dimension. */
  dimensionCuesMax: 128,
  /** Characters of one such phrase. */
  dimensionCueCharsMax: 64,
  /** Phrases of one list of a file of cues: some times what the shipped ones have. */
  cuePhrasesMax: 512,
  /** Files of cues in one folder: one a language. */
  cueFilesMax: 64,
  /** The highest version of such a file: it stands in each observation. */
  cueVersionMax: 1_000_000,
  /** Characters of what says by what an observation was made: a model's name, or the cues of many languages. */
  madeByCharsMax: 1_024,
  /** Characters of an example of a dimension. */
  dimensionExampleCharsMax: 2_000,
} as const;
