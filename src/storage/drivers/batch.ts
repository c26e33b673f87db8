import type pg from "pg";
import { parameterOf } from "./parameters.js";
import { ROW_TYPES } from "./row-types.js";

/** A statement as it goes over the wire. */
export interface WireStatement {
  /** Of the prepared statement: the same text always has the same. */
  readonly name: string;
  readonly text: string;
  /** Checked before. */
  readonly values: readonly unknown[];
}

export interface WireResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** First word of the server's tag, such as SELECT or COMMIT. */
  readonly command: string;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** What one connection has prepared: the columns by the statement's name. */
interface Prepared {
  readonly columns: Map<string, readonly Column[]>;
  /** Names that the server may know although their first use failed. */
  readonly doubtful: Set<string>;
}

const preparedOn = new WeakMap<pg.Connection, Prepared>();

function preparedBy(connection: pg.Connection): Prepared {
  const known = preparedOn.get(connection);
  if (known !== undefined) return known;
  const made = { columns: new Map<string, readonly Column[]>(), doubtful: new Set<string>() };
  preparedOn.set(connection, made);
  return made;
}

/** Who is told of the first `count` results before the rest has run. */
export interface EarlyResults {
  readonly count: number;
  /** Mustn't throw. */
  readonly onResults: (results: readonly WireResult[]) => void;
}

type Done = (error: unknown, results: readonly WireResult[]) => void;

/**
 * Statements with one `Sync` behind them all: the server runs them in order, skips what follows a failure, and answers
 * once. With a `Sync` behind each, server and client would wake each other up for every single statement.
 * It is a query object of the PostgreSQL client, which calls it for each message of the answer.
 */
class Batch {
  /** Called by the client too, where it gives the answer up. */
  callback: Done;
  readonly #statements: readonly WireStatement[];
  readonly #early: EarlyResults | undefined;
  readonly #results: WireResult[] = [];
  #prepared: Prepared | null = null;
  #described: readonly Column[] | null = null;
  #rows: Record<string, unknown>[] = [];
  #unreadable: unknown = null;

  constructor(statements: readonly WireStatement[], early: EarlyResults | undefined, done: Done) {
    this.#statements = statements;
    this.#early = early;
    this.callback = done;
  }

  submit(connection: pg.Connection): void {
    const prepared = preparedBy(connection);
    this.#prepared = prepared;
    connection.stream.cork();
    try {
      const fresh = new Set<string>();
      for (const [index, statement] of this.#statements.entries()) {
        // The server keeps its answers together until the end, unless it is asked for them.
        if (index === this.#early?.count) connection.flush();
        const { name } = statement;
        const isFirst = !prepared.columns.has(name) && !fresh.has(name);
        if (isFirst) prepare(connection, prepared, statement);
        execute(connection, statement, isFirst);
        fresh.add(name);
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#described = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: ROW_TYPES.getTypeParser(dataTypeID, "text"),
    }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#unreadable !== null) return;
    const row: Record<string, unknown> = {};
    try {
      this.#columns().forEach(({ name, parse }, index) => {
        const text = fields[index];
        row[name] = text === null || text === undefined ? null : parse(text);
      });
      this.#rows.push(row);
    } catch (error) {
      this.#unreadable = error;
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const statement = this.#statements[this.#results.length];
    if (statement !== undefined) {
      this.#prepared?.columns.set(statement.name, this.#columns());
      this.#prepared?.doubtful.delete(statement.name);
    }
    this.#results.push({ rows: this.#rows, command: text.split(" ", 1)[0] ?? "" });
    this.#rows = [];
    this.#described = null;
    if (this.#results.length === this.#early?.count && this.#unreadable === null)
      this.#early.onResults([...this.#results]);
  }

  handleReadyForQuery(): void {
    this.callback(this.#unreadable, this.#results);
  }

  handleError(error: unknown): void {
    const failed = this.#statements[this.#results.length];
    if (failed !== undefined && this.#prepared?.columns.has(failed.name) === false) {
      this.#prepared.doubtful.add(failed.name);
    }
    this.callback(error, []);
  }

  /** Of the statement that is being answered. */
  #columns(): readonly Column[] {
    const statement = this.#statements[this.#results.length];
    const known = statement && this.#prepared?.columns.get(statement.name);
    return this.#described ?? known ?? [];
  }
}

function prepare(
  connection: pg.Connection,
  { doubtful }: Prepared,
  { name, text }: WireStatement,
): void {
  if (doubtful.has(name)) connection.close({ type: "S", name }, true);
  connection.parse({ name, text, types: [] }, true);
}

function execute(
  connection: pg.Connection,
  { name, values }: WireStatement,
  describe: boolean,
): void {
  // The parameters are mapped as they are written, whatever the type says of them.
  const bound = { statement: name, values: [...values], valueMapper: parameterOf };
  connection.bind(bound as pg.BindConfig, true);
  if (describe) connection.describe({ type: "P", name: "" }, true);
  connection.execute(null, true);
}

/** Sends the statements in one flush and answers when all of them are done. Rejects with the first failure, as it came. */
export function sendBatch(
  client: pg.PoolClient,
  statements: readonly WireStatement[],
  early?: EarlyResults,
): Promise<readonly WireResult[]> {
  return new Promise((resolve, reject) => {
    const batch = new Batch(statements, early, (error, results) => {
      if (error === null || error === undefined) resolve(results);
      else reject(error);
    });
    client.query(batch);
  });
}
