import { homedir } from "node:os";
import { join, resolve } from "node:path";
import envPaths from "env-paths";
import { z } from "zod";
import { MunimentError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import { LOG_LEVELS, SETTING_FORMS } from "./setting-forms.js";
import { SETTING_VARIABLES } from "./setting-variables.js";
import { unknownVariable } from "./unknown-variable.js";

/** Every setting that may be given in code. What is absent comes from the environment, else from its default. */
export interface SettingsInput {
  /** Directory of the embedded database and its custody, or of a server's own files. */
  readonly dataDir?: string | undefined;
  /** PostgreSQL that the service logs in to. Absent: the embedded database. */
  readonly databaseUrl?: string | undefined;
  /** PostgreSQL login that owns the schema and migrates. Absent: the same, on loopback only. */
  readonly migrateUrl?: string | undefined;
  /** PostgreSQL database of the custody. Absent: a schema beside the database, on loopback only. */
  readonly custodyUrl?: string | undefined;
  /** File of the master key. Its default place is outside the data directory. */
  readonly masterKeyFile?: string | undefined;
  /** The master key itself, 32 bytes as hex or base64; comes before the file. */
  readonly masterKey?: string | undefined;
  /** Ledger head of `custody head`: a custody that is older than it isn't opened. Absent: none is compared. */
  readonly ledgerHeadFile?: string | undefined;
  /** Days that a backup of custody may be restored: those of an erased person's key are gone after it. */
  readonly custodyBackupDays?: number | undefined;
  /** Days that a person's data key is kept after another took its place. */
  readonly keyKeepDays?: number | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** JSON or YAML file that lists who may vouch for callers. Absent: development tokens, on loopback only. */
  readonly issuersFile?: string | undefined;
  /** System of record that reconcile jobs compare with. Absent: none. */
  readonly recordUrl?: string | undefined;
  /** Its bearer token, where it asks for one. */
  readonly recordToken?: string | undefined;
  /** Folder of corpora, each with its corpus.yaml. Absent: none is searched. */
  readonly corporaDir?: string | undefined;
  /** Folder of cues, `<language>.yaml` each: they join the shipped ones, or stand instead. Absent: those alone. */
  readonly cuesDir?: string | undefined;
  /** Loopback port of `/metrics`. Absent: none is served. */
  readonly metricsPort?: number | undefined;
  readonly logLevel?: (typeof LOG_LEVELS)[number] | undefined;
  /** Requests a minute of one caller. */
  readonly requestsPerMinute?: number | undefined;
  /** Connections of the service's pool. */
  readonly poolConnections?: number | undefined;
  /** Base address of an OpenAI-compatible model that condenses closed sessions. Absent: quotes alone. */
  readonly modelUrl?: string | undefined;
  /** Name of the model. */
  readonly modelName?: string | undefined;
  readonly modelKey?: string | undefined;
  /** Tokens that a tenant's questions to the model may take in a day (UTC). Absent: as many as they ask for. */
  readonly modelTokensPerDay?: number | undefined;
  /** Days that turns stay evidence, for tenants that are new. */
  readonly evidenceDays?: number | undefined;
  /** Days that an episode is kept. */
  readonly episodeDays?: number | undefined;
  /** Days that an observation is kept, while the turns that it cites are evidence. */
  readonly observationDays?: number | undefined;
  /** Days that the trace of a run is kept: 30 to 180. */
  readonly traceDays?: number | undefined;
  /** Days that the record of a pack is kept after the pack's validity. */
  readonly packDays?: number | undefined;
  /** Idle days of a field that belongs to one session. */
  readonly sessionKeyDays?: number | undefined;
  /** Hours that a scratch reference is kept. */
  readonly scratchHours?: number | undefined;
  /** What makes vectors: `english`, or the base URL of an OpenAI-compatible API. Absent: recall goes by words alone. */
  readonly embedder?: string | undefined;
  /** Model of the embedding endpoint. */
  readonly embedderModel?: string | undefined;
  /** Key of the embedding endpoint. */
  readonly embedderKey?: string | undefined;
}

const path = z
  .string()
  .min(1)
  .transform((given) => resolve(given));
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ });

const days = (absent: number) =>
  z.coerce.number().int().min(1).max(LIMITS.retentionDaysMax).default(absent);

/** Form and default of each. A variable of the environment is text. */
const schema = z.strictObject({
  dataDir: path,
  databaseUrl: postgresUrl.optional(),
  migrateUrl: postgresUrl.optional(),
  custodyUrl: postgresUrl.optional(),
  masterKeyFile: path,
  masterKey: z.string().min(1).optional(),
  ledgerHeadFile: path.optional(),
  custodyBackupDays: days(LIMITS.custodyBackupDays),
  keyKeepDays: days(LIMITS.keyKeepDays),
  host: z.string().min(1).default("127.0.0.1"),
  port: z.coerce.number().int().min(0).max(65_535).default(7700),
  issuersFile: path.optional(),
  recordUrl: z.url({ protocol: /^https?$/ }).optional(),
  recordToken: z.string().min(1).optional(),
  corporaDir: path.optional(),
  cuesDir: path.optional(),
  metricsPort: z.coerce.number().int().min(1).max(65_535).optional(),
  logLevel: z.enum(LOG_LEVELS).default("info"),
  requestsPerMinute: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(LIMITS.requestsPerMinute),
  modelUrl: z.url({ protocol: /^https?$/ }).optional(),
  modelName: z.string().min(1).optional(),
  modelKey: z.string().min(1).optional(),
  modelTokensPerDay: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  evidenceDays: days(LIMITS.evidenceDays),
  episodeDays: days(LIMITS.episodeDays),
  observationDays: days(LIMITS.observationDays),
  traceDays: z.coerce
    .number()
    .int()
    .min(LIMITS.traceDaysMin)
    .max(LIMITS.traceDaysMax)
    .default(LIMITS.traceDays),
  packDays: days(LIMITS.packDays),
  sessionKeyDays: days(LIMITS.sessionKeyDays),
  scratchHours: z.coerce.number().int().min(1).max(168).default(LIMITS.scratchHours),
  poolConnections: z.coerce.number().int().min(1).max(256).default(LIMITS.poolConnectionsMax),
  embedder: z.union([z.literal("english"), z.url({ protocol: /^https?$/ })]).optional(),
  embedderModel: z.string().min(1).max(256).optional(),
  embedderKey: z.string().min(1).optional(),
} satisfies Record<keyof SettingsInput, z.ZodType>);

export type Settings = z.output<typeof schema>;

const VARIABLES = SETTING_VARIABLES satisfies Record<keyof Settings, string>;

/**
 * Reads the settings once: what is given, else the environment, else the default. An unknown `MUNIMENT_` variable is
 * refused, so that a misspelt one isn't silently without effect. Throws `invalid_input` naming the setting.
 */
export function readSettings(given: SettingsInput, environment: NodeJS.ProcessEnv): Settings {
  const known: ReadonlySet<string> = new Set(Object.values(VARIABLES));
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith("MUNIMENT_") && !known.has(name),
  );
  if (unknown !== undefined) throw unknownVariable(unknown, [...known]);
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
  const form = SETTING_FORMS[field];
  throw new MunimentError(
    "invalid_input",
    `setting \`${field}\`${variable === undefined ? "" : ` (${variable})`} isn't valid`,
    { field, ...(form !== undefined && { nextStep: `write it as ${form}` }) },
  );
}

function defaultPlaces(): Pick<SettingsInput, "dataDir" | "masterKeyFile"> {
  const places = envPaths("muniment", { suffix: "" });
  return {
    dataDir: places.data || join(homedir(), ".muniment"),
    masterKeyFile: join(places.config, "master.key"),
  };
}

export function isLoopback(host: string): boolean {
  return (
    host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host)
  );
}
