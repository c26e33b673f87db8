import { setFlagsFromString } from "node:v8";
import type { CedarValueJson, EntityJson } from "@cedar-policy/cedar-wasm/nodejs";
import {
  preparsePolicySet,
  preparseSchema,
  statefulIsAuthorized,
} from "@cedar-policy/cedar-wasm/nodejs";
import { assert, NOT_FOUND } from "../domain/errors.js";
import type { Attribute, Attributes, Evaluation, Pdp, Verdict } from "./pdp.js";
import type { PolicySet } from "./policy-set.js";

const DENIED = { kind: "denied", message: "not allowed" } as const;
const FAULT_REFUSAL = { kind: "internal", message: "internal error" } as const;

/** Cedar reads `{"__entity": ...}` and `{"__extn": ...}` as something else than a record: such a key never gets through. */
function toCedar(value: Attribute): CedarValueJson {
  if (typeof value !== "object") {
    assert(
      typeof value !== "number" || Number.isSafeInteger(value),
      "an attribute is no whole number",
    );
    return value;
  }
  if (isList(value)) return [...value];
  return toRecord(value);
}

function isList(value: readonly string[] | Attributes): value is readonly string[] {
  return Array.isArray(value);
}

function toRecord(attributes: Attributes): Record<string, CedarValueJson> {
  const record: Record<string, CedarValueJson> = {};
  for (const [name, value] of Object.entries(attributes)) {
    assert(!name.startsWith("__"), "an attribute has a reserved name");
    record[name] = toCedar(value);
  }
  return record;
}

function toEntity(party: Evaluation["subject"]): EntityJson {
  return {
    uid: { type: party.type, id: party.id },
    attrs: toRecord(party.properties),
    parents: [],
  };
}

/** What is foreign first, so that a caller learns nothing else about it. No forbid at all is a plain denial. */
function refusalOf(
  policyIds: readonly string[],
  refusals: PolicySet["refusals"],
): NonNullable<Verdict["refusal"]> {
  const notes = policyIds.map((id) => refusals.get(id)).filter((note) => note !== undefined);
  if (notes.some((note) => note.kind === "not_found")) return NOT_FOUND;
  const first = notes.find((note) => note.kind === "mode_none") ?? notes[0];
  if (first?.message === undefined) return DENIED;
  const { kind, message, nextStep } = first;
  return { kind, message, ...(nextStep !== undefined && { nextStep }) };
}

/** A fault of the decision point decides nothing but that nothing is allowed. */
function faultOf(cause: unknown): Verdict {
  return { verdict: "deny", policyIds: [], refusal: FAULT_REFUSAL, fault: cause };
}

function ask(question: Evaluation, set: PolicySet, setId: string): Verdict {
  const principal = toEntity(question.subject);
  const resource = toEntity(question.resource);
  const answer = statefulIsAuthorized({
    principal: { type: question.subject.type, id: question.subject.id },
    action: { type: "Action", id: question.action.name },
    resource: { type: question.resource.type, id: question.resource.id },
    context: toRecord(question.context),
    preparsedSchemaName: setId,
    // Without it a forbid that reads an absent attribute is skipped, and the verdict would be allow.
    validateRequest: true,
    preparsedPolicySetId: setId,
    entities: [principal, resource],
  });
  if (answer.type === "failure") return faultOf(answer.errors);
  const { decision, diagnostics } = answer.response;
  if (diagnostics.errors.length > 0) return faultOf(diagnostics.errors);
  const policyIds = [...diagnostics.reason].sort();
  if (decision === "allow" && policyIds.length > 0) return { verdict: "allow", policyIds };
  return { verdict: "deny", policyIds, refusal: refusalOf(policyIds, set.refusals) };
}

/**
 * V8 of Node 20 and 22 builds calls into WebAssembly into hot functions, and takes the process down where such a function is
 * deoptimised in the middle of the call ("unreachable code"). After some thousands of different questions it does.
 */
function keepWasmCallsApart(): void {
  const [major] = process.versions.node.split(".");
  if (Number(major) < 24) setFlagsFromString("--no-turbo-inline-js-wasm-calls");
}

/** Cedar in process. Any error or exception is a deny. About 0.2 ms a question. */
export function createCedarPdp(set: PolicySet): Pdp {
  keepWasmCallsApart();
  // What Cedar has parsed it never frees, so the id is the content: loading the same set again costs nothing.
  const setId = `muniment:${set.hash}`;
  assert(preparseSchema(setId, set.schema).type === "success", "the policy schema doesn't parse");
  assert(
    preparsePolicySet(setId, { staticPolicies: { ...set.policies } }).type === "success",
    "policies don't parse",
  );
  return {
    policySetHash: set.hash,
    decide: (question) => {
      try {
        return ask(question, set, setId);
      } catch (error) {
        return faultOf(error);
      }
    },
  };
}
