export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const POSTGRES =
  "postgres://USER:PASSWORD@HOST:5432/DATABASE, with special characters of the password percent-encoded";
const WEB = "https://HOST/PATH";

/** How settings are written that are often written otherwise. */
export const SETTING_FORMS: Readonly<Record<string, string>> = {
  databaseUrl: POSTGRES,
  migrateUrl: POSTGRES,
  custodyUrl: POSTGRES,
  recordUrl: WEB,
  modelUrl: WEB,
  embedder: `english, or ${WEB}`,
  port: "a whole number from 0 to 65535",
  logLevel: `one of ${LOG_LEVELS.join(", ")}`,
};
