import type { Action } from "./action.js";
import type { ErrorKind } from "./errors.js";
import { MunimentError } from "./errors.js";
import type { KeyId, RouteId, RunId, SessionId, SubjectId, TenantId, WorkspaceId } from "./ids.js";

/** How wide the transaction's row-level scope is: one subject, or the tenant's rows (operators, look-ups, jobs). */
export type Breadth = "subject" | "tenant";

/** What was decided, by which policies. Goes into the audit row and the reply. */
export interface Decision {
  readonly verdict: "allow" | "deny";
  readonly policyIds: readonly string[];
  readonly policySetHash: string;
}

/** Everything that a statement may filter by. All internal ids; none of it comes from a body, a header or a model. */
export interface Scope {
  readonly tenant: TenantId;
  readonly workspace: WorkspaceId;
  readonly breadth: Breadth;
  readonly subject?: SubjectId;
  readonly keyId?: KeyId;
  readonly session?: SessionId;
  readonly run?: RunId;
  /** Where present, the only run whose turns are conversation: a child never sees what was said around it. */
  readonly turnsOf?: RunId;
  /** Run that slots go to, where the action moves them. */
  readonly targetRun?: RunId;
  /** Routes whose memory may be recalled under the pin. */
  readonly recallFrom: readonly RouteId[];
  /** Instant of the decision: every clock in the operation's statements is compared with it. */
  readonly now: Date;
}

const MINT = Symbol("mint");

/**
 * The only key to storage. INVARIANT: made by `policy/enforce.ts` alone (a test holds it), spent once.
 * A copy, a spread or a cast object has no private state and is refused by the scoped transaction.
 */
export class Permit<A extends Action = Action> {
  readonly action: A;
  readonly scope: Scope;
  readonly decision: Decision;
  #spent = false;

  constructor(mint: symbol, action: A, scope: Scope, decision: Decision) {
    if (mint !== MINT)
      throw new MunimentError("internal", "a permit is minted by the policy alone");
    this.action = action;
    this.scope = Object.freeze({ ...scope, recallFrom: Object.freeze([...scope.recallFrom]) });
    this.decision = Object.freeze({ ...decision });
    Object.freeze(this);
  }

  /** Called by the scoped transaction. Throws for a forged permit and for one used before. */
  static spend(candidate: unknown): Permit {
    if (typeof candidate !== "object" || candidate === null || !(#spent in candidate)) {
      throw new MunimentError("internal", "not a minted permit");
    }
    if (candidate.#spent) throw new MunimentError("internal", "this permit was used before");
    candidate.#spent = true;
    return candidate;
  }
}

/** INVARIANT: called by `policy/enforce.ts` alone. */
export function mintPermit<A extends Action>(
  action: A,
  scope: Scope,
  decision: Decision,
): Permit<A> {
  return new Permit(MINT, action, scope, decision);
}

/** The other outcome of `enforce`. */
export interface Refusal {
  readonly kind: ErrorKind;
  /** Safe to show. */
  readonly message: string;
  /** What a person does next, where the rule says it. Safe to show. */
  readonly nextStep?: string;
  readonly decision: Decision;
}

export function isPermit<A extends Action>(outcome: Permit<A> | Refusal): outcome is Permit<A> {
  return outcome instanceof Permit;
}
