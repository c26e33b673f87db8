import { LIMITS } from "./limits.js";

/** How long each layer is kept, where its own profile doesn't say. One place for all clocks of a deployment. */
export interface Retention {
  readonly episodeDays: number;
}

export const RETENTION_DEFAULT: Retention = Object.freeze({ episodeDays: LIMITS.episodeDays });
