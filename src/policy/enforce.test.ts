import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  boundOf,
  FULL_PROFILE,
  id,
  NOW,
  pinWith,
  principalWith,
  routeId,
  routeWith,
} from "../../tests/support/policy-question.js";
import type { Refusal } from "../domain/permit.js";
import { isPermit, mintPermit, Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import type { Claims } from "../domain/principal.js";
import { createCedarPdp } from "./cedar.js";
import { cacheDecisions } from "./decision-cache.js";
import { createPolicy } from "./enforce.js";
import { loadPolicySet, parsePolicySet } from "./policy-files.js";
import type { AskedAction, Question } from "./question.js";

const policySet = loadPolicySet();
const policy = createPolicy({ pdp: cacheDecisions(createCedarPdp(policySet)) });

function asking<A extends AskedAction>(
  action: A,
  parts: Pick<Question<A>, "resource" | "context"> & { readonly claims?: Partial<Claims> },
): Question<A> {
  const principal = principalWith(parts.claims);
  return {
    principal,
    bound: boundOf(principal),
    action,
    resource: parts.resource,
    context: parts.context,
    now: NOW,
  };
}

const appending = (pin: Pin, claims?: Partial<Claims>): Question<"append_turns"> =>
  asking("append_turns", {
    resource: { type: "run", pin },
    context: {},
    ...(claims && { claims }),
  });

function permitOf<A extends AskedAction>(outcome: Permit<A> | Refusal): Permit<A> {
  if (!isPermit(outcome)) throw new Error(`refused: ${outcome.kind}`);
  return outcome;
}

function refusalOf(outcome: Permit | Refusal): Refusal {
  if (isPermit(outcome)) throw new Error("permitted");
  return outcome;
}

describe("the scope of a permit", () => {
  it("S1-08 a run's permit carries every isolation key of its pin, and the instant of the decision", () => {
    const pin = pinWith();
    expect(permitOf(policy.enforce(appending(pin))).scope).toEqual({
      tenant: pin.tenant,
      workspace: pin.workspace,
      breadth: "subject",
      subject: pin.subject,
      keyId: pin.keyId,
      session: pin.session,
      run: pin.run,
      recallFrom: ["fee_explain", "card_help"],
      now: NOW,
    });
  });

  it.each(["tenant", "workspace", "subject", "session", "run", "keyId"] as const)(
    "S1-08 a pin without its %s is an error, never a wider scope",
    (key) => {
      for (const missing of [undefined, null, "", "*", "%"]) {
        const pin = { ...pinWith(), [key]: missing } as unknown as Pin;
        expect(() => policy.enforce(appending(pin))).toThrow(
          expect.objectContaining({ kind: "internal" }),
        );
      }
    },
  );

  it("S1-08 an isolation key that nobody knows is an error", () => {
    const memory_profile = {
      ...FULL_PROFILE,
      isolation: ["tenant", "device"],
    } as unknown as typeof FULL_PROFILE;
    const pin = pinWith({ route: routeWith({ memory_profile }) });
    expect(() => policy.enforce(appending(pin))).toThrow(/isolation key device/);
  });

  it("S1-04 nothing in the context reaches the scope", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (extra) => {
        const question = appending(pinWith());
        const outcome = policy.enforce({
          ...question,
          context: extra as Question<"append_turns">["context"],
        });
        const expected = permitOf(policy.enforce(question)).scope;
        if (isPermit(outcome)) expect(outcome.scope).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  it("S1-12 a handoff's permit names the run that it goes to", () => {
    const target = pinWith({ run: id("2") });
    const outcome = policy.enforce(
      asking("handoff_slots", { resource: { type: "run", pin: pinWith(), target }, context: {} }),
    );
    expect(permitOf(outcome).scope).toMatchObject({ run: id("f"), targetRun: id("2") });
  });

  it("S5-02 an import's permit holds one subject and no session", () => {
    const resource = {
      type: "subject",
      subject: id<"SubjectId">("c"),
      keyId: id<"KeyId">("d"),
      route: routeWith(),
    } as const;
    const { scope } = permitOf(policy.enforce(asking("import_turns", { resource, context: {} })));
    expect(scope).toMatchObject({ breadth: "subject", subject: id("c"), keyId: id("d") });
    expect(scope).not.toHaveProperty("session");
  });

  it("S5-02 tenant breadth comes with the operators' and the request path's permits alone", () => {
    const claims = { kind: "human", roles: ["operator"] } as const;
    const audit = policy.enforce(
      asking("read_audit", { resource: { type: "tenant" }, context: {}, claims }),
    );
    expect(permitOf(audit).scope).toEqual({
      tenant: id("a"),
      workspace: id("b"),
      breadth: "tenant",
      recallFrom: [],
      now: NOW,
    });
    const customer = principalWith({ kind: "human", roles: [], subject: "cust-1" });
    expect(policy.resolvePermit(customer, NOW)).toMatchObject({
      action: "resolve",
      scope: { breadth: "tenant" },
    });
    expect(policy.refusalPermit(customer, NOW)).toMatchObject({
      action: "record_refusal",
      scope: { breadth: "tenant" },
      decision: { policyIds: ["request_path"] },
    });
  });
});

describe("refusals", () => {
  it("S1-27 a decision names its policies and the policy set", () => {
    const { decision } = permitOf(policy.enforce(appending(pinWith())));
    expect(decision).toEqual({
      verdict: "allow",
      policyIds: ["app_runs_routes"],
      policySetHash: policySet.hash,
    });
  });

  it("S1-13 a mode that the profile lacks says so", () => {
    const memory_profile = { ...FULL_PROFILE, conversation: "none" } as const;
    expect(
      policy.enforce(appending(pinWith({ route: routeWith({ memory_profile }) }))),
    ).toMatchObject({
      kind: "mode_none",
      message: "the profile of this route keeps no conversation",
      decision: { verdict: "deny", policyIds: ["conversation_none"] },
    });
  });

  it.each(["tenant", "workspace", "subject", "session"] as const)(
    "S5-02 a foreign %s answers word for word like a missing id",
    (key) => {
      const claims = { kind: "human", roles: [], subject: "cust-1", session: "chat-1" } as const;
      const refusal = refusalOf(policy.enforce(appending(pinWith({ [key]: id("1") }), claims)));
      expect({ kind: refusal.kind, message: refusal.message }).toEqual({
        kind: "not_found",
        message: "not found",
      });
    },
  );

  it.each([{ subject: "cust-unknown" }, { subject: "cust-1", session: "chat-unknown" }])(
    "S1-08 a claim that resolves to nothing reaches nothing: %o",
    (claims) => {
      const question = appending(pinWith(), { kind: "human", roles: ["operator"], ...claims });
      const bound = "session" in claims ? { subject: id<"SubjectId">("c") } : {};
      expect(policy.enforce({ ...question, bound })).toMatchObject({ kind: "not_found" });
    },
  );

  it("S1-08 a run claim that is no run id reaches nothing", () => {
    const question = appending(pinWith(), { kind: "agent", roles: [], run: "*" });
    expect(policy.enforce(question)).toMatchObject({ kind: "not_found" });
  });

  it("S1-04 an unknown action is denied", () => {
    const question = { ...appending(pinWith()), action: "read_everything" as "append_turns" };
    expect(policy.enforce(question)).toMatchObject({ decision: { verdict: "deny" } });
  });

  it.each(["resolve", "record_refusal"])(
    "S1-04 the internal step %s can't be asked for",
    (step) => {
      const action = step as "read_audit";
      const question = asking("read_audit", { resource: { type: "tenant" }, context: {} });
      expect(() => policy.enforce({ ...question, action })).toThrow(/isn't asked for/);
    },
  );

  it("S1-13 a recall that leaves its question out is denied", () => {
    const question = { ...appending(pinWith()), action: "recall_turns" as "append_turns" };
    expect(policy.enforce(question)).toMatchObject({ decision: { verdict: "deny" } });
  });

  it("S1-04 a policy set that allows everything still opens nothing beyond the credential", () => {
    const open = parsePolicySet(policySet.schema, [
      '@id("open") permit (principal, action, resource);',
    ]);
    const loose = createPolicy({ pdp: createCedarPdp(open) });
    const agent = {
      kind: "agent",
      roles: [],
      subject: "cust-1",
      session: "chat-1",
      run: id<"RunId">("f"),
    } as const;
    expect(isPermit(loose.enforce(appending(pinWith(), agent)))).toBe(true);
    for (const key of ["tenant", "workspace", "subject", "session", "run"]) {
      expect(() => loose.enforce(appending(pinWith({ [key]: id("1") }), agent))).toThrow(
        /doesn't reach/,
      );
    }
    const target = pinWith({ run: id("2") });
    const handoff = asking("handoff_slots", {
      resource: { type: "run", pin: pinWith(), target },
      context: {},
      claims: agent,
    });
    expect(() => loose.enforce(handoff)).toThrow(/doesn't reach/);
  });
});

describe("isolation of any caller", () => {
  const digit = fc.constantFrom("1", "2");
  const pinOf = (d: readonly string[]): Pin =>
    pinWith({
      tenant: id(d[0] ?? ""),
      workspace: id(d[1] ?? ""),
      subject: id(d[2] ?? ""),
      session: id(d[3] ?? ""),
      run: id(d[4] ?? ""),
    });

  it("S1-09 no permit leaves the caller's tenant, workspace and bound subject, session, run", () => {
    const digits = fc.tuple(digit, digit, digit, digit, digit);
    const roles = fc.subarray(["app", "operator", "supervisor", "reader", "release"]);
    const kinds = fc.constantFrom("human", "service", "agent", "job");
    const bindings = fc.subarray(["subject", "session", "run"]);
    const actions = fc.constantFrom(
      "append_turns",
      "list_turns",
      "start_run",
      "assemble",
      "read_run",
      "write_working",
    );
    fc.assert(
      fc.property(
        digits,
        digits,
        roles,
        kinds,
        bindings,
        actions,
        (own, named, has, kind, binding, action) => {
          const mine = pinOf(own);
          const claims = {
            ...principalWith().claims,
            kind,
            roles: has,
            ...(binding.includes("subject") && { subject: "s" }),
            ...(binding.includes("session") && { session: "c" }),
            ...(binding.includes("run") && { run: mine.run }),
          } as Claims;
          const outcome = policy.enforce({
            principal: { claims, ref: id("9"), tenant: mine.tenant, workspace: mine.workspace },
            bound: {
              ...(claims.subject !== undefined && { subject: mine.subject }),
              ...(claims.session !== undefined && { session: mine.session }),
            },
            action,
            resource: { type: "run", pin: pinOf(named) },
            context: {},
            now: NOW,
          } as Question);
          if (!isPermit(outcome)) return;
          const keys = ["tenant", "workspace", ...binding] as const;
          for (const key of keys as readonly (keyof Pin)[]) {
            expect(outcome.scope[key as "tenant"]).toBe(mine[key]);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("forging a permit", () => {
  const minted = () => permitOf(policy.enforce(appending(pinWith())));

  it("S1-04 a minted permit is spent once", () => {
    const permit = minted();
    expect(Permit.spend(permit)).toBe(permit);
    expect(() => Permit.spend(permit)).toThrow(/used before/);
  });

  it("S1-04 each decision mints anew, cached or not", () => {
    Permit.spend(minted());
    expect(() => Permit.spend(minted())).not.toThrow();
  });

  it.each([
    ["a spread copy", () => ({ ...minted() })],
    [
      "a cast object",
      () => ({ action: "append_turns", scope: minted().scope, decision: minted().decision }),
    ],
    ["an object of the same prototype", () => Object.create(Permit.prototype)],
    ["an object behind a permit", () => Object.create(minted())],
    ["a proxy", () => new Proxy(minted(), {})],
    ["a structured clone", () => structuredClone({ ...minted() })],
    ["nothing", () => null],
  ])("S1-04 %s opens nothing", (_, forge) => {
    expect(() => Permit.spend(forge())).toThrow(/not a minted permit/);
  });

  it("S1-04 the constructor mints for nobody else", () => {
    const { scope, decision } = minted();
    expect(() => new Permit(Symbol("mint"), "append_turns", scope, decision)).toThrow(
      /policy alone/,
    );
  });

  it("S1-04 a permit can't be changed, nor through what it was minted from", () => {
    const permit = minted();
    const tenant = () => Object.assign(permit.scope, { tenant: id("1") });
    expect(tenant).toThrow(TypeError);
    expect(() => Object.assign(permit, { action: "read_audit" })).toThrow(TypeError);
    expect(() => (permit.scope.recallFrom as unknown as string[]).push("payment_initiate")).toThrow(
      TypeError,
    );
    const routes = [routeId("fee_explain")];
    const own = mintPermit("resolve", { ...permit.scope, recallFrom: routes }, permit.decision);
    routes.push(routeId("payment_initiate"));
    expect(own.scope.recallFrom).toEqual(["fee_explain"]);
  });
});
