/**
 * Tables that keep rows of a subject that was erased: ids, times, verdicts and hashes, no content. What of them is sealed was
 * sealed under the key that is destroyed.
 */
export const KEPT_STORES = ["subject", "audit", "promotion", "erasure", "hold"] as const;

export function isKept(table: string): boolean {
  return KEPT_STORES.some((kept) => kept === table);
}
