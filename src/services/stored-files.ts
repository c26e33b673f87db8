/** What one place still holds of what is looked for: rows, jobs, files. */
export interface StoreFound {
  readonly name: string;
  readonly found: number;
}

/** Files that the service keeps or has made: exports, custody, an embedded database. */
export interface StoredFiles {
  /**
   * In how many files one of the texts stands as it is, by place. `beside` leaves out the database and custody, which are
   * asked in their own ways.
   */
  search(texts: readonly string[], where: "everywhere" | "beside"): Promise<readonly StoreFound[]>;
}

/** A service without a data directory. */
export const NO_FILES: StoredFiles = { search: async () => [] };
