import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import envPaths from "env-paths";
import { parse } from "yaml";
import { z } from "zod";
import { MunimentError } from "../domain/errors.js";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** Every setting, once: name in the library, environment variable, form and default. */
const schema = z.strictObject({
  /** Directory of the embedded database and its custody, or of a server's own files. */
  dataDir: z
    .string()
    .min(1)
    .transform((path) => resolve(path)),
  /** PostgreSQL that the service logs in to. Absent: the embedded database. */
  databaseUrl: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  /** PostgreSQL login that owns the schema and migrates. Absent: the same, on loopback only. */
  migrateUrl: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  /** PostgreSQL database of the custody. Absent: a schema beside the database, on loopback only. */
  custodyUrl: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  /** File of the master key. Its default place is outside the data directory. */
  masterKeyFile: z
    .string()
    .min(1)
    .transform((path) => resolve(path)),
  /** The master key itself, 32 bytes as hex or base64; comes before the file. */
  masterKey: z.string().min(1).optional(),
  host: z.string().min(1).default("127.0.0.1"),
  port: z.coerce.number().int().min(0).max(65_535).default(7700),
  /** JSON or YAML file that lists who may vouch for callers. Absent: development tokens, on loopback only. */
  issuersFile: z
    .string()
    .min(1)
    .transform((path) => resolve(path))
    .optional(),
  logLevel: z.enum(LOG_LEVELS).default("info"),
  /** Requests a minute of one caller. */
  requestsPerMinute: z.coerce.number().int().min(1).max(1_000_000).default(6_000),
  /** Connections of the service's pool. */
  poolConnections: z.coerce.number().int().min(1).max(256).default(16),
});

export type Settings = z.output<typeof schema>;
export type SettingsInput = Partial<z.input<typeof schema>>;

const VARIABLES = {
  dataDir: "MUNIMENT_DATA_DIR",
  databaseUrl: "MUNIMENT_DATABASE_URL",
  migrateUrl: "MUNIMENT_MIGRATE_URL",
  custodyUrl: "MUNIMENT_CUSTODY_URL",
  masterKeyFile: "MUNIMENT_MASTER_KEY_FILE",
  masterKey: "MUNIMENT_MASTER_KEY",
  host: "MUNIMENT_HOST",
  port: "MUNIMENT_PORT",
  issuersFile: "MUNIMENT_ISSUERS_FILE",
  logLevel: "MUNIMENT_LOG_LEVEL",
  requestsPerMinute: "MUNIMENT_REQUESTS_PER_MINUTE",
  poolConnections: "MUNIMENT_POOL_CONNECTIONS",
} as const satisfies Record<keyof Settings, string>;

/**
 * Reads the settings once: what is given, else the environment, else the default. An unknown `MUNIMENT_` variable is
 * refused, so that a misspelt one isn't silently without effect. Throws `invalid_input` naming the setting.
 */
export function readSettings(given: SettingsInput, environment: NodeJS.ProcessEnv): Settings {
  const known: ReadonlySet<string> = new Set(Object.values(VARIABLES));
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith("MUNIMENT_") && !known.has(name),
  );
  if (unknown !== undefined)
    throw new MunimentError("invalid_input", `unknown environment variable ${unknown}`, {
      field: unknown,
    });
  const fromEnvironment = Object.entries(VARIABLES).flatMap(([name, variable]) => {
    const value = environment[variable];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  const defined = Object.entries(given).filter(([, value]) => value !== undefined);
  const parsed = schema.safeParse({
    ...defaultPlaces(),
    ...Object.fromEntries(fromEnvironment),
    ...Object.fromEntries(defined),
  });
  if (parsed.success) return parsed.data;
  const field = String(parsed.error.issues[0]?.path[0] ?? "settings");
  const variable = (VARIABLES as Readonly<Record<string, string>>)[field];
  throw new MunimentError(
    "invalid_input",
    `setting \`${field}\`${variable === undefined ? "" : ` (${variable})`} isn't valid`,
    { field },
  );
}

function defaultPlaces(): Pick<SettingsInput, "dataDir" | "masterKeyFile"> {
  const places = envPaths("muniment", { suffix: "" });
  return {
    dataDir: places.data || join(homedir(), ".muniment"),
    masterKeyFile: join(places.config, "master.key"),
  };
}

/** Reads a JSON or YAML file of the operator's. Throws `invalid_input` with the path. */
export function readOperatorFile(path: string): unknown {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new MunimentError("invalid_input", `the file ${path} can't be read as JSON or YAML`, {
      cause,
    });
  }
}

export function isLoopback(host: string): boolean {
  return (
    host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host)
  );
}
