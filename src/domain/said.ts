/** Words of a text as they are compared, numbers with their points among them. */
export function plainWords(text: string): ReadonlySet<string> {
  return new Set(
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}.,-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu) ?? [],
  );
}

/** True where a text has a number that what it cites doesn't have. */
export function hasOwnNumber(words: ReadonlySet<string>, cited: ReadonlySet<string>): boolean {
  return [...words].some((word) => /\d/.test(word) && !cited.has(word));
}

/** True where at least half of the longer words of a text are those of what it cites. */
export function isMostlySaid(words: ReadonlySet<string>, cited: ReadonlySet<string>): boolean {
  const long = [...words].filter((word) => word.length > 3);
  return long.filter((word) => cited.has(word)).length * 2 >= long.length;
}
