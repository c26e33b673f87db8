import type { Statement } from "../storage/sql.js";

type Named = Readonly<Record<string, Statement | null>>;

/** Rows by the names of their statements. */
export type RowsByName<S extends Named> = {
  readonly [K in keyof S]: NonNullable<S[K]> extends Statement<infer Row> ? readonly Row[] : never;
};

/** Statements of one flush of which some aren't needed: those are null, aren't sent, and have no rows. */
export interface NamedStatements<S extends Named> {
  readonly list: readonly Statement[];
  /** Of the answers to `list`, in its order. */
  readonly rowsOf: (answers: readonly (readonly unknown[])[]) => RowsByName<S>;
}

export function named<S extends Named>(statements: S): NamedStatements<S> {
  const names = Object.keys(statements).filter((name) => statements[name] !== null);
  return {
    list: names.flatMap((name) => statements[name] ?? []),
    rowsOf(answers) {
      const rows = new Map(names.map((name, at) => [name, answers[at] ?? []]));
      const all = Object.keys(statements).map((name) => [name, rows.get(name) ?? []]);
      return Object.fromEntries(all) as RowsByName<S>;
    },
  };
}
