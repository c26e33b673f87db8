import { LRUCache } from "lru-cache";
import { LIMITS } from "../domain/limits.js";
import type { Evaluation, Pdp, Verdict } from "./pdp.js";

/**
 * Everything that a verdict depends on. Questions are built field by field in one order, so equal ones are spelled alike;
 * one that isn't would only be asked again.
 */
export function decisionKey(policySetHash: string, question: Evaluation): string {
  const { subject, action, resource, context } = question;
  return JSON.stringify([policySetHash, subject, action, resource, context]);
}

/**
 * Remembers verdicts of an in-process decision point: they depend on the question and the policy set alone. Faults are
 * asked again. INVARIANT: never put in front of a decision point that knows more than the question.
 */
export function cacheDecisions(pdp: Pdp, entriesMax: number = LIMITS.cacheEntriesMax): Pdp {
  const verdicts = new LRUCache<string, Verdict>({ max: entriesMax });
  return {
    policySetHash: pdp.policySetHash,
    decide: (question) => {
      const key = decisionKey(pdp.policySetHash, question);
      const known = verdicts.get(key);
      if (known !== undefined) return known;
      const verdict = pdp.decide(question);
      if (verdict.fault === undefined) verdicts.set(key, Object.freeze(verdict));
      return verdict;
    },
  };
}
