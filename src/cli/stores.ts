import { counted } from "./counted.js";
import type { Io } from "./io.js";
import { table } from "./table.js";

interface SearchedStore {
  readonly name: string;
  readonly found: number;
  /** Absent where nothing was to be removed. */
  readonly rows_removed?: number;
}

/** What was removed from each store and found in it. Those without either are named below: they were searched too. */
export function showStores(stores: readonly SearchedStore[], io: Io): void {
  const isErasure = stores.some(({ rows_removed }) => rows_removed !== undefined);
  const isQuiet = ({ found, rows_removed = 0 }: SearchedStore) => found + rows_removed === 0;
  const rows = stores
    .filter((store) => !isQuiet(store))
    .map(({ name, found, rows_removed = 0 }) => [
      name,
      ...(isErasure ? [String(rows_removed)] : []),
      String(found),
    ]);
  const head = isErasure ? ["store", "removed", "found"] : ["store", "found"];
  if (rows.length > 0) io.out(table(head, rows));
  const names = stores.filter(isQuiet).map(({ name }) => name);
  const nothing = isErasure ? "nothing removed from or found in" : "nothing found in";
  if (names.length > 0) io.out(`${nothing} ${counted(names.length, "store")}: ${names.join(", ")}`);
}
