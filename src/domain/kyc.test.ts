import { describe, expect, it } from "vitest";
import { namesKycDecision, statesKycDecision } from "./kyc.js";

describe("know-your-customer decisions", () => {
  it.each([
    "KYC passed",
    "The customer's KYC check was approved on Monday",
    "know-your-customer status: verified",
    "AML: clear, outcome ok",
    "Identity verification failed twice",
    "Her identity was verified by phone",
    "sanctions screening: completed",
    "K\u200bYC approved",
    "ＫＹＣ ｐａｓｓｅｄ",
  ])("S1-40 %j states one", (text) => {
    expect(statesKycDecision(text)).toBe(true);
  });

  it.each([
    "The fee was waived",
    "What does KYC stand for?",
    "She asked about her identity card",
    "Passed the exam. KYC comes later",
    "prefers e-mail",
  ])("S1-40 %j states none", (text) => {
    expect(statesKycDecision(text)).toBe(false);
  });

  it.each(["kyc_status", "kycPassed", "know_your_customer", "aml_check", "identity_verified"])(
    "S1-40 `%s` names one",
    (name) => {
      expect(namesKycDecision(name)).toBe(true);
    },
  );

  it.each(["pref_language", "do_not_contact", "sky_colour"])("S1-40 `%s` names none", (name) => {
    expect(namesKycDecision(name)).toBe(false);
  });
});
