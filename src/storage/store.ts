import type { TenantId, WorkspaceId } from "../domain/ids.js";
import type { Permit } from "../domain/permit.js";
import type { Statement } from "./sql.js";

/** Rows of each statement, in the order of the statements. */
export type RowsOf<S extends readonly Statement[]> = {
  [K in keyof S]: S[K] extends Statement<infer Row> ? readonly Row[] : never;
};

/**
 * One transaction in the permit's scope. `begin`, the role and the scope travel with the first statements and `commit`
 * with the last, so an operation costs as many round trips as it calls `send` and `commit`.
 */
export interface Transaction {
  /** Sends the statements together and waits for all of them: one round trip. */
  send<const S extends readonly Statement[]>(statements: S): Promise<RowsOf<S>>;
  /** The same, with `commit` behind them. Nothing can be sent after it. */
  commit<const S extends readonly Statement[]>(statements: S): Promise<RowsOf<S>>;
  /**
   * The same for rows that are to be opened: `open` gets those of `reads` while the server writes and commits what is behind
   * them. What it makes of them is given back if the commit succeeds, and nobody sees it otherwise.
   */
  commitOpening<const S extends readonly Statement[], R>(
    reads: S,
    writes: readonly Statement[],
    open: (rows: RowsOf<S>) => R,
  ): Promise<R>;
}

/**
 * The storage port. Both drivers pass the same conformance suite.
 *
 * - A permit that wasn't minted, or was used before, throws before anything is sent.
 * - `body` that ends without `commit` rolls back. A statement that fails rolls everything back and throws:
 *   `Unmet` for `muniment.require`, `MunimentError("unavailable")` for a lost connection, a timeout or a deadlock.
 * - A row that fails its recheck is left out and reported to the alarm.
 */
export interface Store {
  transact<R>(permit: Permit, body: (tx: Transaction) => Promise<R>): Promise<R>;
  readonly directory: Directory;
  /**
   * One command of the job queue, in a transaction of its own under the worker's role, which reaches the queue and nothing
   * in the wall. Its text is the queue's; several statements at once take no values.
   */
  readonly queue: QueueCommand;
  /** Findings about the migrations and the catalogue, in words for the operator. Empty is sound; else the service must not serve. */
  selfCheck(): Promise<readonly string[]>;
  /** Vacuums and counts what has changed much, where no server does that by itself. */
  tend(): Promise<void>;
  close(): Promise<void>;
}

export type QueueCommand = (
  text: string,
  values?: readonly unknown[],
) => Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;

/** A row or a sealed value that isn't where it belongs. Reported to the operator; its text is never shown. */
export interface Alarm {
  readonly what: "recheck" | "sealed_value";
  readonly table: string;
  readonly detail: string;
}

export type OnAlarm = (alarm: Alarm) => void;

export interface TenantRow {
  readonly tenantId: TenantId;
  /** Days that turns stay readable as evidence. */
  readonly evidenceDays: number;
}

/** What stands outside the wall: names of tenants and workspaces, and which custody the database belongs to. Cached where immutable. */
export interface Directory {
  /**
   * The tenant of that name, made on first use (safe under races). The credential's issuer has vouched for the name.
   * `prepare` runs before a tenant is made: what must exist for every tenant that the database knows.
   */
  tenant(name: string, prepare?: (tenant: TenantId) => Promise<unknown>): Promise<TenantRow>;
  /** Names of the tenants after `afterName`, in order: jobs iterate them and work in one tenant's scope at a time. */
  tenants(afterName: string, limit: number): Promise<readonly string[]>;
  /** Name of the tenant with that id; null where there is none. What the queue hands out names tenants by their ids. */
  tenantName(tenantId: string): Promise<string | null>;
  /** The workspace of that name, made on first use. */
  workspace(tenant: TenantId, name: string): Promise<WorkspaceId>;
  /** Id of the custody that seals this database; null where none was remembered yet. */
  custody(): Promise<string | null>;
  /** Remembers the custody once; answers the one that stands. */
  rememberCustody(custodyId: string): Promise<string>;
}
