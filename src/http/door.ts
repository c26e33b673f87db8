import type { z } from "zod";
import type { Action } from "../domain/action.js";
import type { Caller } from "../services/caller.js";
import type { Services } from "../services/services.js";

/** Names of the `:parts` of a path. */
type ParamsIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** What no caller asks for: steps of the request path, and what jobs do. */
type InnerAction =
  | "resolve"
  | "record_refusal"
  | "sweep"
  | "run_work"
  | "compress_session"
  | "consolidate_subject"
  | "observe_session"
  | "list_unsealed"
  | "seal_segments"
  | "list_unembedded"
  | "embed_turns"
  | "list_rotated"
  | "reseal_subject"
  | "replay_ledger"
  | "replay_erasure";

export interface DoorInput<Params extends string = string> {
  /** Decoded, not yet checked. */
  readonly params: Readonly<Record<Params, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** A JSON object; `{}` where the request had no body. */
  readonly body: unknown;
}

/** The one way to an operation over HTTP. */
export interface Door<Path extends string = string> {
  readonly action: Exclude<Action, InnerAction>;
  readonly method: "GET" | "PUT" | "POST";
  readonly path: Path;
  /** Of a reply that isn't a refusal. */
  readonly status: 200 | 201;
  readonly summary: string;
  /** True where the reply is lines of JSON, sent as they are read. */
  readonly isStream?: true;
  /** Describe the input; the services parse it. One that is absent takes none. */
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /**
   * INVARIANT: not an async function. What it throws was refused before a service took over, and nobody has audited it;
   * what its promise rejects with was audited by the service.
   */
  run(services: Services, caller: Caller, input: DoorInput<ParamsIn<Path>>): Promise<object>;
}

/** Checks a door against the names in its path. */
export function door<const Path extends string>(door: Door<Path>): Door {
  return door;
}
