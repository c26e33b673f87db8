import type { Settings } from "../config/settings.js";
import { codeOf, MunimentError } from "../domain/errors.js";

/** Codes of what stands between us and a server. Those of five characters are PostgreSQL's. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "it breaks the connection off",
  ENOTFOUND: "its host isn't known",
  EAI_AGAIN: "its host isn't known",
  EHOSTUNREACH: "no way leads to its host",
  ENETUNREACH: "no way leads to its host",
  ETIMEDOUT: "it doesn't answer",
  "28P01": "it refuses the login",
  "28000": "it refuses the login",
  "3D000": "it has no such database",
  "53300": "it has no connection left",
  "57P03": "it is starting or stopping",
};

/** What the driver says without a code, of a server that takes the connection and then says nothing, or too little. */
const SILENT = /timeout expired|connection timeout|exceeded when trying to connect/i;
const BROKEN = /connection terminated|connection ended/i;

/** A server, and the setting that says where it is. */
export interface ServerPlace {
  readonly url: string;
  readonly variable: "MUNIMENT_DATABASE_URL" | "MUNIMENT_MIGRATE_URL" | "MUNIMENT_CUSTODY_URL";
}

export function databasePlace(url: string): ServerPlace {
  return { url, variable: "MUNIMENT_DATABASE_URL" };
}

/** The login that owns the schema. */
export function ownerPlace(migrateUrl: string | undefined, databaseUrl: string): ServerPlace {
  if (migrateUrl === undefined) return databasePlace(databaseUrl);
  return { url: migrateUrl, variable: "MUNIMENT_MIGRATE_URL" };
}

/** The keys. Without a setting of their own they are in the database, under the login that may make a schema. */
export function custodyPlace(
  { custodyUrl, migrateUrl }: Pick<Settings, "custodyUrl" | "migrateUrl">,
  databaseUrl: string,
): ServerPlace {
  if (custodyUrl === undefined) return ownerPlace(migrateUrl, databaseUrl);
  return { url: custodyUrl, variable: "MUNIMENT_CUSTODY_URL" };
}

/**
 * Does something with a PostgreSQL server. Where it can't be reached, throws `unavailable` with its host and port, never
 * its login, and the setting to look at.
 */
export async function reach<R>({ url, variable }: ServerPlace, body: () => Promise<R>): Promise<R> {
  try {
    return await body();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    throw new MunimentError("unavailable", `PostgreSQL at ${addressOf(url)}: ${reason}`, {
      nextStep: `check ${variable}, and that the server runs there`,
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const known = REASONS[codeOf(error) ?? ""];
  if (known !== undefined) return known;
  if (SILENT.test(error.message)) return "it takes the connection and doesn't answer";
  if (BROKEN.test(error.message)) return "it breaks the connection off";
  return reasonOf(error.cause);
}

function addressOf(url: string): string {
  const { hostname, port, searchParams } = new URL(url);
  const host = hostname || searchParams.get("host") || "localhost";
  return `${host}:${port || searchParams.get("port") || "5432"}`;
}
