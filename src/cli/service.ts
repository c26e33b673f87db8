import { type Connection, connectService } from "../compose/connect.js";
import { Client } from "./client.js";
import { placeOf, type TenantOptions } from "./options.js";

/** As which service a command acts: the application's part, or the operator's. */
export type Role = "app" | "operator";

export async function clientOf(
  connection: Connection,
  { tenant, workspace }: Pick<TenantOptions, "tenant" | "workspace">,
  role: Role,
): Promise<Client> {
  const claims = { id: "cli", kind: "service", roles: [role], tenant, workspace } as const;
  return new Client(connection.url, await connection.signToken(claims));
}

/** Does something as a client of the data directory's service, and leaves nothing of our own running. */
export async function withClient<R>(
  options: TenantOptions,
  role: Role,
  use: (client: Client) => Promise<R>,
): Promise<R> {
  const connection = await connectService(placeOf(options));
  try {
    return await use(await clientOf(connection, options, role));
  } finally {
    await connection.close();
  }
}
