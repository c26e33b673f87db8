import type { Connection, OpenedHere } from "../compose/connect.js";
import { Client } from "./client.js";
import type { Io } from "./io.js";
import { placeOf, type TenantOptions } from "./options.js";

/** As whom a command acts: as the service of the application, the operator or the privacy officer, or as a person who decides. */
export type Role =
  | "app"
  | "connector"
  | "operator"
  | "privacy_officer"
  /** A service with several roles at once. */
  | { readonly roles: readonly string[] }
  | { readonly reviewer: string };

export async function clientOf(
  connection: Connection,
  { tenant, workspace }: Pick<TenantOptions, "tenant" | "workspace">,
  role: Role,
): Promise<Client> {
  const claims = { ...whoIs(role), tenant, workspace };
  return new Client(connection.url, await connection.signToken(claims));
}

function whoIs(role: Role) {
  if (typeof role === "string") return { id: "cli", kind: "service", roles: [role] } as const;
  if ("roles" in role) return { id: "cli", kind: "service", roles: role.roles } as const;
  return { id: role.reviewer, kind: "human", roles: ["reviewer"] } as const;
}

interface Asking {
  readonly options: TenantOptions;
  readonly role: Role;
  readonly io: Io;
}

/**
 * Does something as a client of the data directory's service, and leaves nothing of our own running. Refused where
 * there is no database yet: a command that asks for what is there makes nothing.
 */
export function withClient<R>(asking: Asking, use: (client: Client) => Promise<R>): Promise<R> {
  return withService(asking, false, use);
}

/** The same for a command with which one may begin: makes the database where there is none. */
export function withNewClient<R>(asking: Asking, use: (client: Client) => Promise<R>): Promise<R> {
  return withService(asking, true, use);
}

async function withService<R>(
  { options, role, io }: Asking,
  makes: boolean,
  use: (client: Client) => Promise<R>,
): Promise<R> {
  const onOpened = sayOpened(options, io);
  // A command line that is wrong, or asks for help, loads no database.
  const { connectService } = await import("../compose/connect.js");
  const connection = await connectService(placeOf(options), { makes, onOpened });
  try {
    return await use(await clientOf(connection, options, role));
  } finally {
    await connection.close();
  }
}

/** People are told why a command takes a moment, and that others can't have the directory meanwhile. */
export function sayOpened(
  { json }: Pick<TenantOptions, "json">,
  io: Io,
): (opened: OpenedHere) => void {
  return ({ dataDir, isNew, replayed }) => {
    if (json) return;
    io.err(
      isNew
        ? `nothing was at ${dataDir} yet: made a new database there`
        : `no service holds ${dataDir}: opened it for this command`,
    );
    if (replayed !== null) io.err(replayed);
  };
}
