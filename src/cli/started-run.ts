import type { StartRunReply } from "../services/start-run.js";

/** What starting a run answers over HTTP: with the token that is its agent's. */
export interface StartedRun extends StartRunReply {
  readonly run_token: string;
}
