import type { ErrorKind } from "../domain/errors.js";

/** What a forbid answers when it determines a denial. */
export interface RefusalNote {
  readonly kind: ErrorKind;
  /** Absent where every policy of this kind must answer alike (`not_found`). */
  readonly message?: string;
  /** What a person does next, where the advice for the whole kind is too wide. */
  readonly nextStep?: string;
}

/** A policy set that passed strict validation against its schema. */
export interface PolicySet {
  readonly schema: string;
  /** Cedar text by policy id. */
  readonly policies: Readonly<Record<string, string>>;
  /** By id of the forbid policy. */
  readonly refusals: ReadonlyMap<string, RefusalNote>;
  /** SHA-256 (hex) of the canonical JSON of schema and policies: layout and comments don't change it. */
  readonly hash: string;
}
