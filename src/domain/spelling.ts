/** Forms of characters that two writers mean the same by: joined, wide or narrow, units in one square, the micro sign. */
const SAME = /[\u00b5\u3371-\u33df\ufb00-\ufdff\ufe70-\uffef]+/gu;

/**
 * A text in the one spelling of all that says the same, in lower case. Other compatibility forms stay: what is raised, circled or a fraction
 * says another number than its digits in a row, so that "10⁹" isn't "109", nor "2½" "21⁄2".
 */
export function foldSpelling(text: string): string {
  return text
    .replaceAll(SAME, (forms) => forms.normalize("NFKC"))
    .normalize("NFC")
    .toLowerCase()
    .normalize("NFC");
}
