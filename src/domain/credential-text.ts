import { MunimentError } from "./errors.js";
import { invalid } from "./fields.js";

// INVARIANT: every repetition is bounded or starts at most once per run of its characters, so that scanning is linear.

export type CredentialKind = "token" | "private_key" | "password" | "url_password";

/** Forms that are a token wherever they stand. */
const TOKENS: readonly RegExp[] = [
  // JSON Web Tokens, signed or not, and their encrypted form.
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/,
  /\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token|digest|negotiate)\s{1,4}[^\s"'<[{$*]{8,}/i,
  /\bbearer\s{1,4}(?=[^\s]{0,200}\d)[A-Za-z0-9._~+/=-]{16,}/i,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/,
  /(?<![A-Za-z0-9])gh[opsur]_[A-Za-z0-9]{36}/,
  /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{22}/,
  /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20}/,
  /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10}/,
  /(?<![A-Za-z0-9])xapp-\d-[A-Za-z0-9-]{10}/,
  /hooks\.slack\.com\/services\/T[A-Za-z0-9]{4,16}\/B[A-Za-z0-9]{4,16}\/[A-Za-z0-9]{16}/,
  /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16}/,
  /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/]{24}/,
  /(?<![A-Za-z0-9_-])sk-(?=[A-Za-z_-]{0,200}\d)[A-Za-z0-9_-]{20}/,
  /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/,
  /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/,
  /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30}/,
];

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;

/** `scheme://user:password@host`. Masks and placeholders stand for a password, they aren't one. */
const URL_PASSWORD =
  /:\/\/[^\s/:@"'<>]{0,256}:(?!(?:[*•.]+|x+|X+)@|[<{$[%])[^\s/@"'<>]{1,256}@[A-Za-z0-9[]/;

/** A name of a secret, an assignment, perhaps a quote, and the value up to the next space or quote. */
const ASSIGNMENT =
  /(?:passwords?|passwd|passphrase|pwd|(?<![A-Za-z])secret|client[_-]?secret|api[_-]?key|secret[_-]?(?:access[_-]?)?key|private[_-]?key|(?:access|auth|refresh|session|id|bearer|api)[_-]?token|(?<![A-Za-z0-9_-])token)\\{0,3}["'`]?(\s{0,4}(?:[:=]{1,2}|=>|\sis\s)\s{0,4})(\\{0,3}["'`]?)([^\s"'`\\,;&<>]{1,256})/gi;

const PLACEHOLDER =
  /^(?:[[{($%<]|[*•.·_-]+$|x+$|null|nil|none|true|false|undefined|required|optional|redacted|hidden|masked|changed|string|process\.env|os\.environ)/i;

/** What kind of credential a text holds, or null. */
export function findCredential(text: string): CredentialKind | null {
  if (TOKENS.some((pattern) => pattern.test(text))) return "token";
  if (PRIVATE_KEY.test(text)) return "private_key";
  if (URL_PASSWORD.test(text)) return "url_password";
  for (const [, operator = "", quote = "", value = ""] of text.matchAll(ASSIGNMENT)) {
    if (isSecretValue(operator, quote, value)) return "password";
  }
  return null;
}

/** Refuses text that holds a token or a credential: memory is no place for either. */
export function refuseCredential(text: string, field: string): void {
  if (findCredential(text) === null) return;
  throw new MunimentError(
    "credential_in_text",
    `\`${field}\` holds a token or a credential, which memory doesn't keep`,
    { field },
  );
}

/**
 * Tells a password from a word of a sentence. Code (`password=...`, quotes) is believed from six characters on;
 * prose (`password: ...`, `password is ...`) needs letters and digits together.
 */
function isSecretValue(operator: string, quote: string, value: string): boolean {
  const bare = value.replace(/[.!?)\]}]{1,8}$/, "");
  if (bare.length < 6 || PLACEHOLDER.test(bare)) return false;
  const isCode = quote !== "" || (operator.includes("=") && operator.trim() === operator);
  if (isCode) return true;
  return /\p{L}/u.test(bare) && /\d/.test(bare);
}

const REASONING_TAG = /<(think|thinking|reasoning|scratchpad|chain_of_thought)>/i;
const REASONING_PART =
  /"(?:type|role|channel)"\s{0,4}:\s{0,4}"(?:reasoning|thinking|redacted_thinking|analysis)"/;

/** True for a model's own reasoning as vendors mark it: a block that opens the text or is closed again, or a typed part. */
export function isChainOfThought(text: string): boolean {
  if (REASONING_PART.test(text)) return true;
  const opened = REASONING_TAG.exec(text);
  if (opened === null) return false;
  if (text.slice(0, opened.index).trim() === "") return true;
  return text.toLowerCase().includes(`</${(opened[1] ?? "").toLowerCase()}>`, opened.index);
}

/** Refuses a model's reasoning: no layer keeps it. */
export function refuseChainOfThought(text: string, field: string): void {
  if (isChainOfThought(text))
    throw invalid(field, "holds a model's reasoning, which no layer keeps");
}
