import validator from "validator";
import { findCredential, isChainOfThought } from "../domain/credential-text.js";
import { isObject, plainKey } from "../domain/fields.js";

const { isCreditCard, isIBAN } = validator;

/** Groups of digits that may be a card's number: whether one is, its check digit says. */
const CARD = /(?<![\p{L}\p{N}])\d(?:[ -]?\d){11,18}(?![\p{L}\p{N}])/gu;
const IBAN = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![\p{L}\p{N}])/gu;
/** A number that its sentence calls an account's. */
const ACCOUNT =
  /\b(?:accounts?|acct|a\/c|bsb|sort\s?code|routing|konto(?:nummer)?)\b(?:\s{0,3}(?:no|nr|number|num)\b\.?)?[\s:#=]{0,4}(\d(?:[ -]?\d){5,19})/giu;

/** Fields whose values never stay, whatever they look like. Spelled as `plainKey` spells. */
const SECRET_FIELDS =
  /^(?:.*(?:password|passwd|passphrase|secret|token|apikey|privatekey|credential|authorization|cookie)|pin|otp|cvv|cvc|pan|cardnumber|accountnumber|iban|bsb|sortcode|routingnumber)$/;

/** Text without card and account numbers; none of it where it holds a token, a credential or a model's reasoning. */
export function redactText(text: string): string {
  if (findCredential(text) !== null || isChainOfThought(text)) return "[redacted]";
  return text
    .replace(IBAN, (found) => (isIBAN(found.replaceAll(" ", "")) ? "[account]" : found))
    .replace(CARD, (found) => (isCreditCard(found) ? "[card]" : found))
    .replace(ACCOUNT, (found, number: string) => found.replace(number, "[account]"));
}

/** The same for all texts of a JSON value; a field that names a secret is emptied, whatever stands in it. */
export function redact(value: unknown): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "number") return redactNumber(value);
  if (Array.isArray(value)) return value.map(redact);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [
      redactText(key),
      SECRET_FIELDS.test(plainKey(key)) ? "[redacted]" : redact(held),
    ]),
  );
}

function redactNumber(value: number): number | string {
  const digits = String(value);
  return /^\d{12,19}$/.test(digits) && isCreditCard(digits) ? "[card]" : value;
}
