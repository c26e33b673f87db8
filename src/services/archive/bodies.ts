/** Lines of one person's archive, as JSON values. */
export interface ImportSubjectBody {
  /** The archive's line that says whose they are. */
  readonly subject: object;
  readonly lines: readonly object[];
}

/** Lines of what is a tenant's own. */
export interface ImportTenantBody {
  readonly lines: readonly object[];
}
