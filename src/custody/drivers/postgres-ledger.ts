import type pg from "pg";
import { MunimentError, must } from "../../domain/errors.js";
import { type TenantId, trustedId } from "../../domain/ids.js";
import { type LedgerHead, NO_HEAD } from "../../domain/ledger.js";
import type { LedgerStore, StoredLine } from "../ledger-store.js";
import { STATEMENTS } from "./postgres-schema.js";
import { unreachable } from "./postgres-store.js";

/** The ledger as rows. The pool is the key store's, which also closes it. */
export class PostgresLedgerStore implements LedgerStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async append(
    tenant: TenantId,
    chain: (head: LedgerHead) => readonly StoredLine[],
  ): Promise<void> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw unreachable(error);
    });
    let failure: Error | undefined;
    try {
      await client.query("begin");
      await client.query(STATEMENTS.makeHead, [tenant]);
      const [head] = (await client.query<LedgerHead>(STATEMENTS.lockHead, [tenant])).rows;
      const lines = chain(must(head, "the head of a ledger"));
      const last = lines.at(-1) ?? NO_HEAD;
      await client.query(STATEMENTS.insertLines, [
        tenant,
        lines.map(({ seq }) => seq),
        lines.map(({ text }) => text),
        lines.map(({ mac }) => mac),
      ]);
      await client.query(STATEMENTS.advanceHead, [tenant, last.seq, last.mac]);
      await client.query("commit");
    } catch (error) {
      failure = error instanceof Error ? error : new Error("unknown", { cause: error });
      throw error instanceof MunimentError ? error : unreachable(error);
    } finally {
      // A client in a failed transaction is thrown away.
      client.release(failure);
    }
  }

  read(tenant: TenantId, seq: number, limit: number): Promise<readonly StoredLine[]> {
    return this.#query<StoredLine>(STATEMENTS.readLines, [tenant, seq, limit]);
  }

  async head(tenant: TenantId): Promise<LedgerHead> {
    const [head] = await this.#query<LedgerHead>(STATEMENTS.readHead, [tenant]);
    return head ?? NO_HEAD;
  }

  async tenants(): Promise<readonly TenantId[]> {
    const rows = await this.#query<{ tenant_id: string }>(STATEMENTS.readLedgerTenants, []);
    return rows.map(({ tenant_id }) => trustedId<"TenantId">(tenant_id));
  }

  async close(): Promise<void> {
    // The key store closes the pool.
  }

  async #query<R extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly R[]> {
    try {
      return (await this.#pool.query<R>(text, [...values])).rows;
    } catch (error) {
      throw unreachable(error);
    }
  }
}
