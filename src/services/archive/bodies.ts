/** Lines of one person's archive, as JSON values. */
export interface ImportSubjectBody {
  /** The archive's line that says whose they are. */
  readonly subject: object;
  readonly lines: readonly object[];
}
