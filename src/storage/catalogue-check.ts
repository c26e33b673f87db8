/** One rule over the catalogue. */
export interface Check {
  /** What is wrong with each `subject` that the query answers. */
  readonly finding: string;
  readonly text: string;
}
