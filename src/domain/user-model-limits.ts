/** Bounds of a person's model: part of `LIMITS`. */
export const USER_MODEL_LIMITS = {
  /** Sections of one answer of a consolidator. */
  userModelSectionsMax: 80,
  /** Statements of one section of such an answer. */
  userModelAnswerMax: 64,
  /** Statements of such an answer that are looked into: many more than a page holds. */
  userModelLookedMax: 300,
  /** Statements of a section that are kept, those about safety apart. */
  userModelStatementsMax: 6,
  /** Characters of a statement: what is now, and what was before. */
  userModelStatementCharsMax: 1_000,
  /** Characters of the statements of one route, those about safety apart: a page. */
  userModelCharsMax: 6_000,
  /** Sentences about safety in a pack, and their characters: a share of it that nothing else is crowded out by. */
  packSafetyItemsMax: 12,
  packSafetyCharsMax: 2_400,
  /** Observations that a statement rests on. */
  userModelRefsMax: 16,
  /** Observations that one consolidation takes in, oldest first; the next one goes on. */
  consolidateFreshMax: 300,
  /** Observations of each dimension and route that a consolidation looks back on. */
  consolidateBackMax: 12,
  /** Characters of what one question to a language model is given, their frame included: as many as a conversation's. */
  consolidateCharsMax: 60_000,
  /** Observations about safety that a consolidation holds on to, newest kept: beyond it somebody floods the model. */
  consolidateSafetyMax: 100,
  /** Models of a tenant that one sweep has made anew. */
  consolidateLeftOverMax: 100,
} as const;
