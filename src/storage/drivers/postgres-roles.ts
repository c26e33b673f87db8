/** A connection with the right to create roles. */
interface RoleConnection {
  query(text: string): Promise<unknown>;
}

const ROLE_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Statements that make the login of `serve`: it inherits nothing, so that it reaches a table only by taking
 * `muniment_app`'s role inside a transaction. Run them as the owner, after the first migration.
 */
export function loginRoleStatements(name: string, password: string | null): readonly string[] {
  if (!ROLE_NAME.test(name)) throw new Error("a role name is lower-case letters, digits and _");
  const secret = password === null ? "" : ` password '${password.replaceAll("'", "''")}'`;
  return [`create role ${name} login noinherit${secret} in role muniment_app`];
}

export async function createLoginRole(
  connection: RoleConnection,
  name: string,
  password: string | null = null,
): Promise<void> {
  for (const statement of loginRoleStatements(name, password)) await connection.query(statement);
}
