import { appendFile, cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { boundOf, NOW, pinWith, principalWith } from "../../tests/support/policy-question.js";
import { createCedarPdp } from "./cedar.js";
import { cacheDecisions, decisionKey } from "./decision-cache.js";
import { createPolicy } from "./enforce.js";
import type { Evaluation, Pdp } from "./pdp.js";
import { loadPolicySet, POLICY_DIRECTORY, parsePolicySet } from "./policy-files.js";

const SCHEMA = `
entity Principal = { roles: Set<String>, level?: Long };
entity Thing = { tenant: String };
action look appliesTo { principal: Principal, resource: Thing, context: { note?: String, n?: Long, owner?: Principal } };
`;
const OPEN = '@id("open") permit (principal, action, resource);';
const open = createCedarPdp(parsePolicySet(SCHEMA, [OPEN]));

function looking(change: Partial<Evaluation> = {}): Evaluation {
  return {
    subject: { type: "Principal", id: "p", properties: { roles: ["app"] } },
    action: { name: "look" },
    resource: { type: "Thing", id: "t", properties: { tenant: "a" } },
    context: {},
    ...change,
  };
}

describe("cedar", () => {
  it("S1-27 the policies that the build has checked are those that stand in their files", async () => {
    const changed = await mkdtemp(join(tmpdir(), "muniment-policies-"));
    await cp(POLICY_DIRECTORY, changed, { recursive: true });
    await appendFile(join(changed, "callers.cedar"), "\n// said otherwise, decided alike\n");
    const { hash, refusals } = loadPolicySet(changed);
    expect(loadPolicySet()).toMatchObject({ hash, refusals });
    await appendFile(
      join(changed, "callers.cedar"),
      '@id("more") permit (principal, action, resource);',
    );
    expect(loadPolicySet(changed).hash).not.toBe(hash);
    await rm(changed, { recursive: true });
  });

  it("S1-27 a question that fits the schema is decided", () => {
    expect(open.decide(looking())).toEqual({ verdict: "allow", policyIds: ["open"] });
  });

  it.each<[string, Partial<Evaluation>]>([
    ["an unknown action", { action: { name: "take" } }],
    [
      "an unknown resource type",
      { resource: { type: "Vault", id: "t", properties: { tenant: "a" } } },
    ],
    ["a missing attribute", { resource: { type: "Thing", id: "t", properties: {} } }],
    [
      "an attribute of another type",
      { resource: { type: "Thing", id: "t", properties: { tenant: true } } },
    ],
    ["an attribute that nobody declared", { context: { purpose: "x" } }],
    ["a fraction", { context: { n: 1.5 } }],
    ["a whole number that isn't exact", { context: { n: 2 ** 53 } }],
    [
      "an entity in disguise",
      { context: { note: { __entity: { type: "Principal", id: "root" } } } },
    ],
    [
      "an entity where one would fit",
      { context: { owner: { __entity: { type: "Principal", id: "root" } } } },
    ],
    [
      "a resource of a type that the action isn't about",
      { resource: { type: "Principal", id: "p2", properties: { roles: [] } } },
    ],
    ["an extension in disguise", { context: { note: { __extn: { fn: "ip", arg: "10.0.0.1" } } } }],
    [
      "a principal in disguise",
      {
        subject: {
          type: "Principal",
          id: "p",
          properties: { roles: { __entity: { type: "Principal", id: "root" } } },
        },
      },
    ],
  ])("S1-27 %s is a deny, even under a policy that allows everything", (_, change) => {
    const verdict = open.decide(looking(change));
    expect(verdict).toMatchObject({
      verdict: "deny",
      policyIds: [],
      refusal: { kind: "internal" },
    });
    expect(verdict.fault).toBeDefined();
  });

  it("S1-04 text that looks like an entity stays text", () => {
    const guarded = createCedarPdp(
      parsePolicySet(SCHEMA, [
        `@id("text") permit (principal, action, resource) when { context has note && context.note like "*__entity*" };`,
      ]),
    );
    const note = '{"__entity":{"type":"Principal","id":"root"}}';
    expect(guarded.decide(looking({ context: { note } }))).toMatchObject({
      verdict: "allow",
      policyIds: ["text"],
    });
  });

  it("S1-27 a policy that fails while it is evaluated is a deny", () => {
    const overflowing =
      '@id("no") @refusal("denied") @message("no") forbid (principal, action, resource) when { context has n && context.n + 9223372036854775807 > 0 };';
    const pdp = createCedarPdp(parsePolicySet(SCHEMA, [OPEN, overflowing]));
    expect(pdp.decide(looking())).toMatchObject({ verdict: "allow" });
    const verdict = pdp.decide(looking({ context: { n: 1 } }));
    expect(verdict).toMatchObject({ verdict: "deny", refusal: { kind: "internal" } });
    expect(verdict.fault).toBeDefined();
  });

  it("S1-27 a fault reaches the operator and not the caller", () => {
    const faults: unknown[] = [];
    const pdp = createCedarPdp(loadPolicySet());
    const policy = createPolicy({ pdp, onFault: (cause) => faults.push(cause) });
    const principal = principalWith();
    const resource = { type: "run", pin: pinWith() } as const;
    const action = "nothing" as "read_run";
    const outcome = policy.enforce({
      principal,
      bound: boundOf(principal),
      action,
      resource,
      context: {},
      now: NOW,
    });
    expect(outcome).toMatchObject({ kind: "internal", message: "internal error" });
    expect(outcome).not.toHaveProperty("fault");
    expect(faults).toHaveLength(1);
  });
});

describe("policy files", () => {
  it.each([
    ["no id", "permit (principal, action, resource);"],
    ["the same id twice", `${OPEN}\n${OPEN}`],
    ["a forbid without a refusal", '@id("x") forbid (principal, action, resource);'],
    [
      "an unknown refusal",
      '@id("x") @refusal("gone") @message("m") forbid (principal, action, resource);',
    ],
    [
      "a not_found that says more",
      '@id("x") @refusal("not_found") @message("m") forbid (principal, action, resource);',
    ],
    [
      "a refusal without a message",
      '@id("x") @refusal("denied") forbid (principal, action, resource);',
    ],
    [
      "a permit with a refusal",
      '@id("x") @refusal("denied") permit (principal, action, resource);',
    ],
    [
      "a next step without a message",
      '@id("x") @refusal("not_found") @next("n") forbid (principal, action, resource);',
    ],
    ["a permit with a next step", '@id("x") @next("n") permit (principal, action, resource);'],
    [
      "an attribute that the schema lacks",
      '@id("x") permit (principal, action, resource) when { resource.owner == "a" };',
    ],
    [
      "an optional attribute that is taken for granted",
      '@id("x") permit (principal, action, resource) when { principal.level > 1 };',
    ],
    [
      "an action that the schema lacks",
      '@id("x") permit (principal, action == Action::"take", resource);',
    ],
    ["a template", '@id("x") permit (principal == ?principal, action, resource);'],
    ["no policy", ""],
    ["no Cedar", "allow everything"],
  ])("S1-27 a policy set with %s isn't taken", (_, text) => {
    expect(() => parsePolicySet(SCHEMA, [text])).toThrow(
      expect.objectContaining({ kind: "internal" }),
    );
  });

  it("S1-27 a denial says the next step that its policy names", () => {
    const closed = `@id("no") @refusal("denied") @message("m") @next("n") forbid (principal, action, resource);`;
    const pdp = createCedarPdp(parsePolicySet(SCHEMA, [OPEN, closed]));
    expect(pdp.decide(looking()).refusal).toEqual({ kind: "denied", message: "m", nextStep: "n" });
  });

  it("S1-27 the hash changes with a policy or the schema, and with nothing else", () => {
    const { hash } = parsePolicySet(SCHEMA, [OPEN]);
    expect(parsePolicySet(SCHEMA, [`// a comment\n${OPEN.replaceAll(" (", "(\n")}`]).hash).toBe(
      hash,
    );
    expect(parsePolicySet(SCHEMA, [OPEN.replace('"open"', '"wide"')]).hash).not.toBe(hash);
    expect(parsePolicySet(SCHEMA, [`${OPEN} ${OPEN.replace("open", "more")}`]).hash).not.toBe(hash);
    expect(parsePolicySet(SCHEMA.replace("level?", "rank?"), [OPEN]).hash).not.toBe(hash);
  });
});

/** Decides by the note and counts how often it was asked. */
function counting(decide: Pdp["decide"]): Pdp & { asked: number } {
  const pdp = {
    policySetHash: "h",
    asked: 0,
    decide: (question: Evaluation) => {
      pdp.asked += 1;
      return decide(question);
    },
  };
  return pdp;
}

describe("decision cache", () => {
  const byNote = createCedarPdp(
    parsePolicySet(SCHEMA, [
      '@id("yes") permit (principal, action, resource) when { context has note && context.note == "yes" };',
    ]),
  );

  it("S2-37 questions that differ only in their context don't share a verdict", () => {
    const cached = cacheDecisions(byNote);
    expect(cached.decide(looking({ context: { note: "yes" } })).verdict).toBe("allow");
    expect(cached.decide(looking({ context: { note: "no" } })).verdict).toBe("deny");
    expect(cached.decide(looking()).verdict).toBe("deny");
  });

  it("S2-37 the key holds the whole question and the policy set, in any order of its parts", () => {
    const key = decisionKey("h", looking());
    const changed: readonly Evaluation[] = [
      looking({ subject: { type: "Principal", id: "q", properties: { roles: ["app"] } } }),
      looking({ subject: { type: "Principal", id: "p", properties: { roles: [] } } }),
      looking({ action: { name: "take" } }),
      looking({ resource: { type: "Thing", id: "t", properties: { tenant: "b" } } }),
      looking({ context: { note: "" } }),
    ];
    expect(new Set([key, ...changed.map((question) => decisionKey("h", question))]).size).toBe(6);
    expect(decisionKey("other", looking())).not.toBe(key);
    const { context, resource, action, subject } = looking();
    expect(decisionKey("h", { context, resource, action, subject } as Evaluation)).toBe(key);
  });

  it("S1-27 a question is decided once", () => {
    const pdp = counting(byNote.decide);
    const cached = cacheDecisions(pdp);
    expect(cached.decide(looking())).toEqual(cached.decide(looking()));
    expect(pdp.asked).toBe(1);
  });

  it("S1-27 a fault is asked again", () => {
    const pdp = counting(byNote.decide);
    const cached = cacheDecisions(pdp);
    const broken = looking({ action: { name: "take" } });
    expect(cached.decide(broken).verdict).toBe("deny");
    expect(cached.decide(broken).verdict).toBe("deny");
    expect(pdp.asked).toBe(2);
  });

  it("S1-27 the cache is bounded", () => {
    const pdp = counting(byNote.decide);
    const cached = cacheDecisions(pdp, 2);
    for (const note of ["a", "b", "c", "a"]) cached.decide(looking({ context: { note } }));
    expect(pdp.asked).toBe(4);
  });

  it("S1-04 a remembered verdict can't be changed by who got it", () => {
    const cached = cacheDecisions(byNote);
    const verdict = cached.decide(looking());
    expect(() => Object.assign(verdict, { verdict: "allow" })).toThrow(TypeError);
  });
});
