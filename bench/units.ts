import pg from "pg";
import { uuidv7 } from "uuidv7";
import { POOL_DEFAULTS } from "../src/storage/drivers/pooled-store.js";
import type { Case } from "./measure.js";
import type { Server } from "./server.js";

const TENANT = uuidv7();
const TRACE = JSON.stringify({
  reads: [],
  writes: [{ kind: "turn", ids: [TENANT] }],
  ttl: { clock: "session", hours: 24, expires_at: "2026-01-01T00:00:00.000Z" },
});

/** What the machine and the server cost without any system: the shortest statement, and one row with one commit. */
export async function openUnits(
  server: Server,
  poolMax: number,
): Promise<(n: number) => readonly Case[]> {
  const pool = new pg.Pool({
    ...POOL_DEFAULTS,
    connectionString: await server.createDatabase("units"),
    max: poolMax,
  });
  server.onStop(() => pool.end());
  await pool.query(
    "create table durable (tenant_id uuid, row_id uuid, recorded_at timestamptz not null, operation text not null, verdict text not null, trace jsonb not null, primary key (tenant_id, row_id))",
  );
  const insert = {
    name: "durable_insert",
    text: "insert into durable values ($1, $2, $3, 'append_turns', 'allow', $4)",
  };
  return (n) => [
    {
      name: "select1",
      system: "unit",
      n,
      run: () => pool.query({ name: "select1", text: "select 1" }),
      trips: null,
    },
    {
      name: "durable_insert",
      system: "unit",
      n,
      run: () => pool.query({ ...insert, values: [TENANT, uuidv7(), new Date(), TRACE] }),
      trips: null,
    },
  ];
}
