/** Classes of a run's working memory, in the words of the design. */
export const WORKING_CLASSES = [
  "contract",
  "handoff",
  "criterion",
  "artifact",
  "failure",
  "question",
  "slot",
  "note",
  "scratch",
] as const;
export type WorkingClass = (typeof WORKING_CLASSES)[number];
