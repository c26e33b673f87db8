import type pg from "pg";
import { codeOf, MunimentError, must } from "../../domain/errors.js";
import type { KeyName } from "../cipher.js";
import type { KeyStore } from "../key-store.js";
import { STATEMENTS } from "./postgres-schema.js";

interface WrappedRow {
  readonly wrapped: Buffer | null;
}

/** What stands behind a SQLSTATE or a system error, for who sets the custody up. */
const REASONS: Readonly<Record<string, string>> = {
  "42501":
    "its login may not do that: the first start makes the schema muniment_custody and needs CREATE on the database, the first one after an upgrade may make tables in it",
  "28000": "it refuses the login",
  "28P01": "it refuses the login",
  "3D000": "it has no such database",
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "its host isn't known",
};

export function unreachable(cause: unknown): MunimentError {
  const reason = REASONS[codeOf(cause) ?? ""];
  const what = reason === undefined ? "" : `: ${reason} (MUNIMENT_CUSTODY_URL)`;
  return new MunimentError(
    "unavailable",
    `the custody database doesn't answer as it should${what}`,
    { cause },
  );
}

/**
 * Keys as rows. What `destroy` removes can't be read any more at once; the wrapped bytes leave the server's heap, WAL
 * and backups only when those are vacuumed, recycled and aged out.
 */
export class PostgresKeyStore implements KeyStore {
  readonly custodyId: string;
  readonly #pool: pg.Pool;

  constructor(custodyId: string, pool: pg.Pool) {
    this.custodyId = custodyId;
    this.#pool = pool;
  }

  async put(
    name: KeyName,
    wrapped: Uint8Array,
    at: Date,
    check: Uint8Array,
  ): Promise<Uint8Array | null> {
    const values = [Buffer.from(wrapped), at, Buffer.from(check)];
    const [made] = await this.#query(STATEMENTS.putKey, name, values);
    return made === undefined ? this.get(name) : made.wrapped;
  }

  async replace(
    name: KeyName,
    before: Uint8Array,
    after: Uint8Array,
    check: Uint8Array,
  ): Promise<boolean> {
    const values = [Buffer.from(before), Buffer.from(after), Buffer.from(check)];
    return (await this.#query(STATEMENTS.replaceKey, name, values)).length > 0;
  }

  async get(name: KeyName): Promise<Uint8Array | null> {
    const [row] = await this.#query(STATEMENTS.getKey, name, []);
    return row?.wrapped ?? null;
  }

  async destroy(name: KeyName, at: Date): Promise<void> {
    await this.#query(STATEMENTS.destroyKey, name, [at]);
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#read<{ empty: boolean }>(STATEMENTS.isEmpty, "one answer")).empty;
  }

  async check(): Promise<Uint8Array> {
    const header = "the header of the custody";
    return (await this.#read<{ check_value: Buffer }>(STATEMENTS.readHeader, header)).check_value;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** The one row of a statement. */
  async #read<R extends pg.QueryResultRow>(text: string, what: string): Promise<R> {
    try {
      return must((await this.#pool.query<R>(text)).rows[0], what);
    } catch (error) {
      throw error instanceof MunimentError ? error : unreachable(error);
    }
  }

  async #query(
    text: string,
    name: KeyName,
    more: readonly unknown[],
  ): Promise<readonly WrappedRow[]> {
    try {
      const values = [name.tenant, name.subject, name.keyId, ...more];
      return (await this.#pool.query<WrappedRow>(text, values)).rows;
    } catch (error) {
      throw unreachable(error);
    }
  }
}
