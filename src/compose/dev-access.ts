import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSettings, type SettingsInput } from "../config/settings.js";
import { LIMITS } from "../domain/limits.js";
import { type DevClaims, issueDevToken } from "../policy/dev-issuer.js";
import { loadIssuerKey } from "../policy/issuer-key.js";
import { nothingAt } from "./nothing-at.js";
import { SYSTEM_CLOCK } from "./system-clock.js";

/** What a development token says. */
export type TokenClaims = DevClaims;

/** Signs a development token with the key in the data directory: who can read that directory may be anybody in it. */
export async function signDevToken(
  given: SettingsInput,
  claims: TokenClaims,
  seconds: number = LIMITS.tokenSecondsMax,
): Promise<string> {
  const { dataDir } = readSettings(given, process.env);
  if (!existsSync(dataDir)) throw nothingAt(dataDir);
  const key = await loadIssuerKey(join(dataDir, "issuers"), "dev");
  return issueDevToken(key, claims, SYSTEM_CLOCK, seconds);
}
