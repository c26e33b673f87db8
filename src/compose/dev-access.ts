import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSettings, type SettingsInput } from "../config/settings.js";
import { MunimentError } from "../domain/errors.js";
import { type DevClaims, issueDevToken, TOKEN_SECONDS_MAX } from "../policy/dev-issuer.js";
import { loadIssuerKey } from "../policy/issuer-key.js";
import { SYSTEM_CLOCK } from "./system-clock.js";

/** What a development token says. */
export type TokenClaims = DevClaims;

/** No development token outlives this. */
export const DEV_TOKEN_SECONDS_MAX = TOKEN_SECONDS_MAX;

/** Signs a development token with the key in the data directory: who can read that directory may be anybody in it. */
export async function signDevToken(
  given: SettingsInput,
  claims: TokenClaims,
  seconds: number = DEV_TOKEN_SECONDS_MAX,
): Promise<string> {
  const { dataDir } = readSettings(given, process.env);
  if (!existsSync(dataDir)) {
    throw new MunimentError(
      "unavailable",
      "that data directory doesn't exist: start the service once (muniment serve), or correct --data-dir",
      { field: "dataDir" },
    );
  }
  const key = await loadIssuerKey(join(dataDir, "issuers"), "dev");
  return issueDevToken(key, claims, SYSTEM_CLOCK, seconds);
}
