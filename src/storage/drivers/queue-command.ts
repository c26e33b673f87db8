import type pg from "pg";
import { connectionError, statementError } from "../database-error.js";
import type { QueueCommand } from "../store.js";

/** Commands of the queue over the service's own pool. */
export function createQueueCommand(pool: pg.Pool): QueueCommand {
  return async (text, values) => {
    const client = await pool.connect().catch((cause: unknown) => {
      throw connectionError(cause);
    });
    try {
      await client.query("begin");
      await client.query("set local role muniment_worker");
      // Several statements at once have a `commit` of their own: ours then finds nothing to end.
      const found = await client.query<Record<string, unknown>>(
        text,
        values === undefined ? undefined : [...values],
      );
      await client.query("commit");
      client.release();
      return { rows: found.rows ?? [] };
    } catch (cause) {
      // Given up with the connection: whatever it left open ends with it.
      client.release(true);
      throw statementError(cause);
    }
  };
}
