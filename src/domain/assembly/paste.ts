/** Text of another memory that a line may hold a copy of. */
export interface Pasteable {
  readonly id: string;
  readonly text: string;
}

/** Shorter texts ("yes, please") stand in other texts by chance. */
const PASTED_CHARS_MIN = 24;

/** Ids of the texts that a line holds a copy of, whatever its case, its spaces or its composition of characters. */
export function pastedInto(line: string, sources: readonly Pasteable[]): readonly string[] {
  const whole = plain(line);
  return sources.flatMap(({ id, text }) => {
    const part = plain(text);
    return part.length >= PASTED_CHARS_MIN && whole.includes(part) ? [id] : [];
  });
}

/** JSON writes quotes and line ends in its own way: what is neither letter nor number doesn't count. */
function plain(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\\[nrt"]/g, " ")
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();
}
