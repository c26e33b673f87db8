import type { ErrorKind } from "../domain/errors.js";

/** A value of the question. Made by us alone: JSON of a caller never gets in here. */
export type Attribute = string | number | boolean | readonly string[] | Attributes;

export interface Attributes {
  readonly [name: string]: Attribute;
}

/** The question to a policy decision point, in the shape of OpenID AuthZEN 1.0. */
export interface Evaluation {
  readonly subject: { readonly type: string; readonly id: string; readonly properties: Attributes };
  readonly action: { readonly name: string };
  readonly resource: {
    readonly type: string;
    readonly id: string;
    readonly properties: Attributes;
  };
  readonly context: Attributes;
}

export interface Verdict {
  readonly verdict: "allow" | "deny";
  /** Policies that determined the verdict, sorted; empty where nothing allowed. */
  readonly policyIds: readonly string[];
  /** What a denial answers. Absent on allow. */
  readonly refusal?: {
    readonly kind: ErrorKind;
    readonly message: string;
    readonly nextStep?: string;
  };
  /** Private cause, where the decision point failed: a deny that says nothing about the question and isn't cached. */
  readonly fault?: unknown;
}

/** Policy decision point. Its verdict is a pure function of the question and the policy set. Never throws: a fault is a deny. */
export interface Pdp {
  decide(question: Evaluation): Verdict;
  /** SHA-256 (hex) of the canonical policy texts and the schema. */
  readonly policySetHash: string;
}
