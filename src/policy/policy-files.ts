import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  policySetTextToParts,
  policyToJson,
  schemaToJson,
  validate,
} from "@cedar-policy/cedar-wasm/nodejs";
import stringify from "safe-stable-stringify";
import { assert, ERROR_KINDS } from "../domain/errors.js";
import { readChecked, writeChecked } from "./checked-policies.js";
import type { PolicySet, RefusalNote } from "./policy-set.js";

/** The package's own `policies/`, seen alike from `src/` and `dist/`. */
export const POLICY_DIRECTORY = fileURLToPath(new URL("../../policies/", import.meta.url));

function refusalOf(
  id: string,
  effect: "permit" | "forbid",
  notes: Readonly<Record<string, string>>,
): RefusalNote | null {
  if (effect === "permit") {
    assert(notes.refusal === undefined, `permit policy ${id} has a refusal`);
    assert(notes.next === undefined, `permit policy ${id} has a next step`);
    return null;
  }
  const kind = ERROR_KINDS.find((known) => known === notes.refusal);
  assert(kind, `forbid policy ${id} names no known refusal`);
  // A foreign id and a missing one answer alike, word for word.
  assert(
    (kind === "not_found") === (notes.message === undefined),
    `forbid policy ${id}: a message, but not for not_found`,
  );
  const { message, next: nextStep } = notes;
  assert(
    message !== undefined || nextStep === undefined,
    `forbid policy ${id}: a next step, but no message`,
  );
  if (message === undefined) return { kind };
  return { kind, message, ...(nextStep !== undefined && { nextStep }) };
}

/** Parses and validates. Throws `internal` on anything doubtful: a service with a doubtful policy set doesn't start. */
export function parsePolicySet(schema: string, texts: readonly string[]): PolicySet {
  const parts = policySetTextToParts(texts.join("\n"));
  assert(parts.type === "success", `policies don't parse: ${JSON.stringify(parts)}`);
  assert(
    parts.policies.length > 0 && parts.policy_templates.length === 0,
    "policies are one or more and no templates",
  );
  const policies: Record<string, string> = Object.create(null);
  const canonical: Record<string, unknown> = Object.create(null);
  const refusals = new Map<string, RefusalNote>();
  for (const text of parts.policies) {
    const parsed = policyToJson(text);
    assert(parsed.type === "success", "a policy has no JSON form");
    const notes = parsed.json.annotations ?? {};
    const id = notes.id;
    assert(id !== undefined && /^[a-z][a-z0-9_]*$/.test(id), "a policy has no id");
    assert(policies[id] === undefined, `policy id ${id} is used twice`);
    policies[id] = text;
    canonical[id] = parsed.json;
    const refusal = refusalOf(id, parsed.json.effect, notes);
    if (refusal !== null) refusals.set(id, refusal);
  }
  const checked = validate({ schema, policies: { staticPolicies: { ...policies } } });
  const clean =
    checked.type === "success" &&
    checked.validationErrors.length + checked.validationWarnings.length === 0;
  assert(clean, `policies don't fit their schema: ${JSON.stringify(checked)}`);
  const parsedSchema = schemaToJson(schema);
  assert(parsedSchema.type === "success", "the policy schema doesn't parse");
  const hash = createHash("sha256")
    .update(stringify([parsedSchema.json, canonical]))
    .digest("hex");
  return { schema, policies, refusals, hash };
}

/** Texts of a directory: the one `*.cedarschema` and each `*.cedar`, by name. */
function readPolicies(directory: string): readonly [schema: string, texts: readonly string[]] {
  const names = readdirSync(directory).sort();
  const [schemaName, ...more] = names.filter((name) => name.endsWith(".cedarschema"));
  assert(schemaName !== undefined && more.length === 0, "policies need one schema");
  const read = (name: string): string => readFileSync(join(directory, name), "utf8");
  return [read(schemaName), names.filter((name) => name.endsWith(".cedar")).map(read)];
}

/** The set of a directory: as the build checked it, where the texts are the same still, or checked now. */
export function loadPolicySet(directory: string = POLICY_DIRECTORY): PolicySet {
  const [schema, texts] = readPolicies(directory);
  return readChecked(schema, texts) ?? parsePolicySet(schema, texts);
}

/**
 * Checks the package's own policies and keeps the result for each start.
 * @public Run by the build.
 */
export function checkPolicies(): void {
  const [schema, texts] = readPolicies(POLICY_DIRECTORY);
  writeChecked(schema, texts, parsePolicySet(schema, texts));
}
