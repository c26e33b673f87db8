import { assert, MunimentError } from "../domain/errors.js";
import type { Permit, Scope } from "../domain/permit.js";
import { recheckRows } from "./recheck.js";
import { type Statement, sql } from "./sql.js";
import type { OnAlarm, RowsOf, Transaction } from "./store.js";

/** Row-level scope of a transaction. `none` reaches only what stands outside the wall. */
export interface WallScope {
  readonly tenant: string | null;
  readonly subject: string | null;
  readonly breadth: "subject" | "tenant" | "none";
}

export type WireRow = Readonly<Record<string, unknown>>;

type WireRows = readonly WireRow[];

/** Who is told of the rows of the first `count` statements as soon as they are there, while the others still run. */
export interface Early {
  readonly count: number;
  /** Mustn't throw: it is called amid the answer. */
  readonly onRows: (rows: readonly WireRows[]) => void;
}

export interface Ends {
  readonly begin: boolean;
  readonly commit: boolean;
  readonly early?: Early | undefined;
}

/** A driver's connection for one transaction. */
export interface Wire {
  /**
   * Sends all statements in one flush and answers their rows in order, or throws the first failure as the port
   * promises it. `begin` goes before them and `commit` behind them where asked.
   */
  flush(statements: readonly Statement[], ends: Ends): Promise<readonly WireRows[]>;
  /** Ends the transaction without effect. Never throws: a connection in doubt is given up instead. */
  rollback(): Promise<void>;
  /** Gives the connection up while statements are under way: nobody else may get their answers. */
  abandon(): void;
}

/** First statement of every transaction: takes the application role and sets the row-level scope. */
export function setScope({ tenant, subject, breadth }: WallScope): Statement {
  return sql`select muniment.set_scope(${tenant}::uuid, ${subject}::uuid, ${breadth}::text)`;
}

function wallOf(scope: Scope): WallScope {
  return { tenant: scope.tenant, subject: scope.subject ?? null, breadth: scope.breadth };
}

type State = "new" | "open" | "busy" | "failed" | "committed";

class ScopedTransaction implements Transaction {
  state: State = "new";
  failure: unknown;
  readonly #scope: Scope;
  readonly #wire: Wire;
  readonly #onAlarm: OnAlarm;

  constructor(scope: Scope, wire: Wire, onAlarm: OnAlarm) {
    this.#scope = scope;
    this.#wire = wire;
    this.#onAlarm = onAlarm;
  }

  async send<const S extends readonly Statement[]>(statements: S): Promise<RowsOf<S>> {
    return this.#checked(statements, await this.#flush(statements, false));
  }

  async commit<const S extends readonly Statement[]>(statements: S): Promise<RowsOf<S>> {
    return this.#checked(statements, await this.#flush(statements, true));
  }

  async commitOpening<const S extends readonly Statement[], R>(
    reads: S,
    writes: readonly Statement[],
    open: (rows: RowsOf<S>) => R,
  ): Promise<R> {
    let opened: (() => R) | undefined;
    const onRows = (rows: readonly WireRows[]): void => {
      try {
        const made = open(this.#checked(reads, rows));
        opened = () => made;
      } catch (error) {
        opened = () => {
          throw error;
        };
      }
    };
    await this.#flush([...reads, ...writes], true, { count: reads.length, onRows });
    assert(opened !== undefined, "rows were committed that nobody was told of");
    return opened();
  }

  #checked<S extends readonly Statement[]>(statements: S, rows: readonly WireRows[]): RowsOf<S> {
    return statements.map((statement, index) =>
      recheckRows(statement, rows[index] ?? [], this.#scope, this.#onAlarm),
    ) as unknown as RowsOf<S>;
  }

  async #flush(
    statements: readonly Statement[],
    commit: boolean,
    early?: Early,
  ): Promise<readonly WireRows[]> {
    assert(
      this.state === "new" || this.state === "open",
      `a transaction that is ${this.state} takes no statement`,
    );
    const begin = this.state === "new";
    this.state = "busy";
    try {
      const scope = begin ? [setScope(wallOf(this.#scope))] : [];
      const answered = await this.#wire.flush([...scope, ...statements], {
        begin,
        commit,
        early: early && {
          count: scope.length + early.count,
          onRows: (rows) => early.onRows(rows.slice(scope.length)),
        },
      });
      this.state = commit ? "committed" : "open";
      return answered.slice(scope.length);
    } catch (error) {
      this.state = "failed";
      this.failure = error;
      throw error;
    }
  }
}

/**
 * Runs `body` in one transaction under the scope of a permit that was spent already. INVARIANT: when this returns or
 * throws, the wire's transaction has ended or its connection is given up.
 */
export async function runScoped<R>(
  permit: Permit,
  wire: Wire,
  onAlarm: OnAlarm,
  body: (tx: Transaction) => Promise<R>,
): Promise<R> {
  const tx = new ScopedTransaction(permit.scope, wire, onAlarm);
  try {
    const result = await body(tx);
    if (tx.state === "busy")
      throw new MunimentError("internal", "a transaction's body ended before its statements");
    // A body that swallowed a failure has no result: its transaction is gone.
    if (tx.state === "failed") throw tx.failure;
    return result;
  } finally {
    if (tx.state === "busy") wire.abandon();
    else if (tx.state === "open" || tx.state === "failed") await wire.rollback();
  }
}
