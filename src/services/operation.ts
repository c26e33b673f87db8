import { uuidv7 } from "uuidv7";
import { type ErrorKind, MunimentError, must } from "../domain/errors.js";
import { type AuditId, type SubjectId, trustedId } from "../domain/ids.js";
import { type Decision, isPermit, type Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import type { Trace, TtlPolicy } from "../domain/trace.js";
import type { AskedAction, Question } from "../policy/question.js";
import { insertAudit } from "../storage/queries/audit-insert.js";
import type { Statement } from "../storage/sql.js";
import type { Caller } from "./caller.js";
import type { Effects } from "./effects.js";
import type { Repeatable } from "./repeatable.js";
import type { Services } from "./services.js";
import { pinTrace, scopeTrace } from "./trace-parts.js";

/** How a reply names the decision that allowed it. */
export interface DecisionReply {
  readonly verdict: "allow";
  readonly policy_ids: readonly string[];
  readonly policy_set: string;
  readonly audit_id: string;
}

const NO_CLOCK: TtlPolicy = { clock: "none", hours: null, expires_at: null };

/** One governed operation under way: asks the policy, collects its trace, and makes its audit row. */
export class Operation<A extends AskedAction> {
  readonly services: Services;
  #caller: Caller;
  readonly action: A;
  /** Made again after a cached row has misled it: relies on no other. */
  readonly isSecondTry: boolean;
  readonly now: Date;
  auditId = newAuditId();
  #decision: Decision;
  #question: Pick<Question<A>, "resource" | "context"> | null = null;
  #pin: Pin | null = null;
  /** Set by a use case whose reply may be asked for again. */
  repeatable: Repeatable | null = null;
  /** What a request with an idempotency key is recognised by when its subject is gone. */
  tombstoneMac: Uint8Array | null = null;
  #subject: Trace["subject"];
  #foreign: string | undefined;
  readonly #reliedOn: (() => void)[] = [];

  constructor(services: Services, caller: Caller, action: A, isSecondTry = false) {
    this.services = services;
    this.#caller = caller;
    this.action = action;
    this.isSecondTry = isSecondTry;
    this.now = services.clock.now();
    this.#decision = {
      verdict: "deny",
      policyIds: [],
      policySetHash: services.policy.policySetHash,
    };
  }

  get caller(): Caller {
    return this.#caller;
  }

  /** Goes on as the same caller, now that the subject or session of its credential exists. */
  adopt(caller: Caller): void {
    this.#caller = caller;
  }

  get pin(): Pin | null {
    return this.#pin;
  }

  /** Asks the policy. Throws the refusal. */
  permit(resource: Question<A>["resource"], context: Question<A>["context"]): Permit<A> {
    this.#question = { resource, context };
    const question = {
      principal: this.caller.principal,
      bound: this.caller.bound,
      action: this.action,
      resource,
      context,
      now: this.now,
    };
    const outcome = this.services.policy.enforce<A>(question);
    this.#decision = outcome.decision;
    if (isPermit(outcome)) return outcome;
    throw new MunimentError(outcome.kind, outcome.message, outcome);
  }

  /** Remembers how to forget a cached row that this operation relies on, should a statement show that it is out of date. */
  relyOn(forget: () => void): void {
    this.#reliedOn.push(forget);
  }

  /** Forgets what it relied on. False where there was nothing. */
  forgetReliedOn(): boolean {
    for (const forget of this.#reliedOn) forget();
    return this.#reliedOn.length > 0;
  }

  /** Names the subject in the trace, where the operation isn't about one run. */
  aboutSubject(subject: SubjectId): void {
    this.#subject = subject;
  }

  /** Names the run in the trace, whether the operation will be allowed or not. */
  about(pin: Pin): void {
    this.#pin = pin;
    this.#subject = pin.subject;
  }

  /** Asks the last question again: a repeated request is decided under today's policy. */
  repermit(): Permit<A> {
    const question = must(this.#question, "question");
    return this.permit(question.resource, question.context);
  }

  /** Does it over, whatever became of the first try: under a permit and with an audit row of its own. */
  again(): Permit<A> {
    this.auditId = newAuditId();
    return this.repermit();
  }

  /** Takes what isn't the caller's out of the trace; its id stays as an HMAC under the caller's tenant key. */
  async hideForeign(): Promise<void> {
    if (this.#pin !== null) await this.foreign(this.#pin.run);
    this.#pin = null;
    this.#subject = undefined;
  }

  /** Remembers an id that isn't the caller's as an HMAC under the caller's tenant key. */
  async foreign(id: string): Promise<void> {
    const key = await this.services.keyring.tenantKey(this.caller.principal.tenant);
    this.#foreign = Buffer.from(key.mac("foreign", String(id))).toString("hex");
  }

  decision(): DecisionReply {
    const { policyIds, policySetHash } = this.#decision;
    return {
      verdict: "allow",
      policy_ids: policyIds,
      policy_set: policySetHash,
      audit_id: this.auditId,
    };
  }

  /** The audit row of the allowed operation: goes into its transaction. Every write has one, so here its subject stops standing still. */
  audit(permit: Permit, effects: Effects): Statement {
    const { tenant, subject } = permit.scope;
    if (effects.writes !== undefined && subject !== undefined)
      this.services.indexes.stir(tenant, subject);
    return this.#row(permit, this.#trace(effects));
  }

  /** One more audit row, for a transaction before the operation's own. */
  auditStep(permit: Permit, effects: Effects): Statement {
    return this.#row(permit, this.#trace(effects), newAuditId());
  }

  /**
   * The audit row of a refusal: goes into a transaction of its own, under an id of its own: the
   * operation's row may stand already, as that of an import's earlier session.
   */
  auditRefusal(permit: Permit<"record_refusal">, refusal: ErrorKind): Statement {
    const decision = { ...this.#decision, verdict: "deny" as const };
    return this.#row(permit, { ...this.#trace({}), decision, refusal }, newAuditId());
  }

  #row(permit: Permit, trace: Trace, auditId = this.auditId): Statement {
    const { principal, requestId } = this.caller;
    return insertAudit(permit, {
      auditId,
      principal: principal.ref,
      principalKind: principal.claims.kind,
      workspace: principal.workspace,
      requestId,
      trace: { ...trace, ...scopeTrace(permit) },
    });
  }

  #trace(effects: Effects): Trace {
    const pin = effects.pin ?? this.#pin;
    return {
      operation: this.action,
      decision: this.#decision,
      ...(this.#subject === undefined ? {} : { subject: this.#subject }),
      ...(pin === null ? {} : pinTrace(pin)),
      isolationKeys: pin?.route.memory_profile.isolation ?? [],
      reads: effects.reads ?? [],
      writes: effects.writes ?? [],
      ttl: effects.ttl ?? NO_CLOCK,
      ...(effects.packId === undefined ? {} : { packId: effects.packId }),
      ...(effects.tokens === undefined ? {} : { tokens: effects.tokens }),
      ...(this.#foreign === undefined ? {} : { foreign: this.#foreign }),
    };
  }
}

function newAuditId(): AuditId {
  return trustedId<"AuditId">(uuidv7());
}
