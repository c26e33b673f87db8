import { readSettings, type Settings, type SettingsInput } from "../config/settings.js";

/** Level of the log: what is given, else the environment's, else this command's own default. */
export function logLevel(
  given: SettingsInput,
  byDefault: Settings["logLevel"],
  environment: NodeJS.ProcessEnv,
): Settings["logLevel"] {
  const isSaid = given.logLevel !== undefined || Boolean(environment.MUNIMENT_LOG_LEVEL);
  return isSaid ? readSettings(given, environment).logLevel : byDefault;
}
