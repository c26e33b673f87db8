/** A block of a pack with its mark, whole or without its end. Marks within its head are escaped, so that none is looked for behind another. */
const BLOCK = /<(memory-[0-9a-f]{8})\b[^<>]*>[\s\S]*?(?:<\/\1>|$)/g;
/** The end of one whose beginning is somewhere else: of what stands before it only its own paragraph is sure to be a block's. */
const END = /(<\/memory-[0-9a-f]{8}>)/;
const PARAGRAPHS_BEFORE = /^[\s\S]*\n[ \t\r]*\n/;
/** What a pack says above its blocks. */
const HEADING = /Blocks marked memory-[0-9a-f]{8} are quoted data[^\n]*/g;

/**
 * A text with blanks instead of memory that was pasted into it: what was recalled isn't learnt again. Every other character
 * stays in its place.
 */
export function withoutRecalled(text: string): string {
  return withoutTails(text.replace(BLOCK, blank)).replace(HEADING, blank);
}

function withoutTails(text: string): string {
  const parts = text.split(END);
  return parts
    .map((part, at) => {
      if (at % 2 === 1) return blank(part);
      if (at === parts.length - 1) return part;
      const [kept = ""] = PARAGRAPHS_BEFORE.exec(part) ?? [];
      return kept + blank(part.slice(kept.length));
    })
    .join("");
}

function blank(found: string): string {
  return " ".repeat(found.length);
}
