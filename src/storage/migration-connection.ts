/** A connection of the owner. Statements are sent one by one. */
export interface MigrationConnection {
  query(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}
