import { invalid, plainKey } from "./fields.js";

/** Names under which a know-your-customer check goes, as `plainKey` spells them. */
const NAMES =
  /(?<!s)kyc|knowyour(?:customer|client)|antimoneylaunder|amlcheck|amlstatus|customerduediligence|sanctions?(?:screen|check|status|clear)|identityverif/;

const SUBJECT =
  /\b(?:kyc|know[- ]your[- ](?:customer|client)|aml|anti[- ]money[- ]laundering|(?:customer )?due[- ]diligence|sanctions? (?:check|screening)|identity (?:check|verification))\b/i;
const VERDICT =
  /\b(?:pass(?:ed|es)?|fail(?:ed|s)?|approv(?:ed|al|es)|reject(?:ed|ion|s)?|clear(?:ed|ance|s)?|verif(?:ied|ies)|declin(?:ed|es)|accept(?:ed|s)?|refus(?:ed|al)|complet(?:ed|e)|valid|ok(?:ay)?|decision|status|outcome|result)\b/i;

/** Words that mean such a check only together with how it came out. */
const LOOSE =
  /\b(?:identity|sanctions?|pep)\b[^.!?]{0,40}\b(?:approved|rejected|passed|failed|verified|cleared|declined)\b/i;

/** True for a name that a know-your-customer decision would be kept under. */
export function namesKycDecision(name: string): boolean {
  return NAMES.test(plainKey(name));
}

/** True for text that states how a know-your-customer check came out. */
export function statesKycDecision(text: string): boolean {
  const plain = text.normalize("NFKC").replaceAll(/\p{Cf}/gu, "");
  return plain
    .split(/[.!?\n]+/)
    .some((part) => LOOSE.test(part) || (SUBJECT.test(part) && VERDICT.test(part)));
}

/**
 * Refuses a know-your-customer decision: it is made and kept where it can be checked, never as a preference, a fact or an
 * episode.
 */
export function refuseKycDecision(text: string, field: string): void {
  if (namesKycDecision(text) || statesKycDecision(text))
    throw invalid(field, "holds a know-your-customer decision, which memory doesn't keep");
}
