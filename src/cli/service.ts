import { type Connection, connectService } from "../compose/connect.js";
import { Client } from "./client.js";
import { placeOf, type TenantOptions } from "./options.js";

/** As whom a command acts: as the application's service or the operator's, or as a person who decides. */
export type Role = "app" | "operator" | { readonly reviewer: string };

export async function clientOf(
  connection: Connection,
  { tenant, workspace }: Pick<TenantOptions, "tenant" | "workspace">,
  role: Role,
): Promise<Client> {
  const who =
    typeof role === "string"
      ? ({ id: "cli", kind: "service", roles: [role] } as const)
      : ({ id: role.reviewer, kind: "human", roles: ["reviewer"] } as const);
  const claims = { ...who, tenant, workspace };
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
