const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-([0-9a-f]{12})\b/g;

/** How an id is shown to people: by its end, as in the text of packs (`recalled:3c5f8f9f0a11`). Whole ids are in `--json`. */
export function shortId(text: string): string {
  return text.replace(UUID, "$1");
}

/** What a line rests on, or its name where it has one (`slot:lookup`). */
export function shortSource(source: readonly string[]): string {
  return source.map(shortId).join(" ");
}

/** A line of a pack by its kind and what it rests on, such as `turn:3c5f8f9f0a11`. */
export function lineSource(kind: string, source: readonly string[]): string {
  const ids = shortSource(source);
  return ids === kind || ids.startsWith(`${kind}:`) ? ids : `${kind}:${ids}`;
}
