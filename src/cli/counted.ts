/** Kinds whose own name isn't one of a thing that can be counted. */
const NOUNS: Readonly<Record<string, string>> = {
  scratch: "scratch ref",
  work: "job",
  working: "working row",
};

/** How many of a kind, such as `1 turn` and `2 summaries`. */
export function counted(count: number, kind: string): string {
  const noun = NOUNS[kind] ?? kind.replaceAll("_", " ");
  return `${count} ${count === 1 ? noun : pluralOf(noun)}`;
}

function pluralOf(noun: string): string {
  if (noun === "criterion") return "criteria";
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
