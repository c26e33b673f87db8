import { fileURLToPath } from "node:url";

export const DEMO_TENANT = "bank-au";
export const OTHER_TENANT = "bank-nz";
export const FEE_ROUTE = "fee_explain";
export const CHAT_ROUTE = "chat";
export const PAYMENT_ROUTE = "payment_initiate";

/** The package's own routes, seen alike from `src/` and `dist/`. */
export const ROUTES = fileURLToPath(new URL("../../../routes/", import.meta.url));

/** The package's own fields of the store. */
export const FIELDS = fileURLToPath(new URL("../../../fields/", import.meta.url));

/** A field of the store: how Jane gets her statements. What she saves herself, and what an agent thinks it heard. */
export const DELIVERY_FIELD = "statement_delivery";
export const DELIVERY = { saved: "email", heard: "paper" } as const;

/** Jane's chat of February, from before the service was there. */
export const FEBRUARY = [
  {
    session: "february-call",
    source_id: "call-0217-1",
    role: "user",
    speaker: "Jane Citizen",
    text: "I will travel to Lisbon in March, so please keep my overdraft closed.",
    observed_at: "2026-02-17T03:10:00Z",
  },
  {
    session: "february-call",
    source_id: "call-0217-2",
    role: "assistant",
    text: "Noted. Your overdraft stays closed while you travel.",
    observed_at: "2026-02-17T03:11:00Z",
  },
] as const;

export const GOAL = "Explain the 30 dollar fee of 3 March";

const jane = (text: string) => ({ role: "user", speaker: "Jane Citizen", text }) as const;
const bank = (text: string) => ({ role: "assistant", text }) as const;

/** What is said in session A, with one tool call and its result. */
export const OPENING = [
  jane("Hello, I have a question about my account."),
  bank("Hello Jane. What would you like to know?"),
  jane("I was in Lisbon when it happened, so I did not see the letter."),
  bank("I understand. Which entry is it?"),
  jane("Why was I charged 30 dollars on 3 March?"),
  {
    role: "tool_call",
    tool: "ledger_search",
    call_id: "call-1",
    text: '{"account":"everyday","day":"2026-03-03"}',
  },
  {
    role: "tool_result",
    tool: "ledger_search",
    call_id: "call-1",
    text: '{"entry":"overdraft fee","amount":30}',
  },
  bank("It is an overdraft fee. Shall I look whether it can be waived?"),
] as const;

export const LOOKUP = { fee: "overdraft", amount: 30, day: "2026-03-03" } as const;
export const POLICY = { waivable: true, waivers_left: 1 } as const;

/** Answers that mean nothing without the run they stick to. */
export const FOLLOW_UPS = [jane("yes"), jane("$500")] as const;

/** What may not be dropped, what may, and a reference whose body stays where it is. */
export const WORKING = {
  contract: { must: "name the fee, its day and its reason", must_not: "promise a waiver" },
  criteria: [{ criterion_id: "names_reason", version: 1 }],
  failures: [
    "evaluator: the draft promised a waiver that policy hasn't granted",
    "evaluator: the day of the fee was missing",
  ],
  scratch: [
    { ref: "s3://bank-au-scratch/ledger-2026-03.json", label: "ledger of March" },
    { ref: "s3://bank-au-scratch/letter-0303.pdf", label: "letter of 3 March" },
  ],
} as const;

export const PAYMENT_GOAL = "Pay 500 dollars to Ana";
