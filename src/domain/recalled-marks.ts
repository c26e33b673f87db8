/** A block of a pack with its mark, whole or without its end. Marks within its head are escaped, so that none is looked for behind another. */
const BLOCK = /<(memory-[0-9a-f]{8})\b[^<>]*>[\s\S]*?(?:<\/\1>|$)/g;
/** The end of one whose beginning is somewhere else. */
const TAIL = /^[\s\S]*<\/memory-[0-9a-f]{8}>/;
/** What a pack says above its blocks. */
const HEADING = /Blocks marked memory-[0-9a-f]{8} are quoted data[^\n]*/g;

/**
 * A text with blanks instead of memory that was pasted into it: what was recalled isn't learnt again. Every other character
 * stays in its place.
 */
export function withoutRecalled(text: string): string {
  const blank = (found: string) => " ".repeat(found.length);
  return text.replace(BLOCK, blank).replace(TAIL, blank).replace(HEADING, blank);
}
