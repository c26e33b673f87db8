import pg from "pg";
import { LIMITS } from "../../domain/limits.js";
import { checkLogin } from "../self-check.js";

/** A connection with the right to create roles. */
interface RoleConnection {
  query(text: string): Promise<unknown>;
}

const ROLE_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Statements that make the login of `serve`: it inherits nothing, so that it reaches a table only by taking
 * `muniment_app`'s role inside a transaction, and the queue only by taking `muniment_worker`'s. Run them as the owner, after the first migration.
 */
export function loginRoleStatements(name: string, password: string | null): readonly string[] {
  if (!ROLE_NAME.test(name)) throw new Error("a role name is lower-case letters, digits and _");
  const secret = password === null ? "" : ` password '${password.replaceAll("'", "''")}'`;
  return [`create role ${name} login noinherit${secret} in role muniment_app, muniment_worker`];
}

export async function createLoginRole(
  connection: RoleConnection,
  name: string,
  password: string | null = null,
): Promise<void> {
  for (const statement of loginRoleStatements(name, password)) await connection.query(statement);
}

/** What is wrong with the login behind a URL, for `doctor`. Throws what the client throws where it can't be reached. */
export async function readLoginWarnings(url: string): Promise<readonly string[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: LIMITS.connectionWaitMsMax,
  });
  await client.connect();
  try {
    return await checkLogin(
      async (text) => (await client.query<Record<string, unknown>>(text)).rows,
    );
  } finally {
    await client.end();
  }
}
