import type { SettingsInput } from "../config/settings.js";
import type { Claims } from "../domain/principal.js";
import { operationsOf } from "./bound-operations.js";
import type { Hooks } from "./hooks.js";
import { createJobs, type Jobs } from "./jobs.js";
import { openParts } from "./open.js";
import type { CallOptions, Operations } from "./operations.js";

export interface Muniment {
  /** Acts as a caller that the application has authenticated itself. The claims are the whole scope. */
  as(claims: Claims, options?: CallOptions): Operations;
  readonly jobs: Jobs;
  close(): Promise<void>;
}

/** Opens Muniment inside this process: embedded, or on PostgreSQL where `databaseUrl` is given. */
export async function openMuniment(
  settings: SettingsInput = {},
  hooks: Hooks = {},
): Promise<Muniment> {
  const parts = await openParts(settings, hooks);
  return {
    as: (claims, options) => operationsOf(parts.services, claims, options),
    jobs: createJobs(parts.services),
    close: () => parts.close(),
  };
}
