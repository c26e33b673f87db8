import { LIMITS } from "../../domain/limits.js";

/** Parts of a document in their order: paragraphs, gathered up to the bound; a longer one is cut at its words. */
export function passagesOf(text: string): readonly string[] {
  const parts = text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .flatMap(cut);
  const passages: string[] = [];
  for (const part of parts) {
    const last = passages.at(-1);
    // A heading begins a passage of its own.
    const joins = last !== undefined && !part.startsWith("#");
    if (joins && last.length + part.length + 2 <= LIMITS.passageCharsMax)
      passages[passages.length - 1] = `${last}\n\n${part}`;
    else passages.push(part);
  }
  return passages;
}

function cut(part: string): readonly string[] {
  if (part.length <= LIMITS.passageCharsMax) return [part];
  const pieces: string[] = [];
  let piece = "";
  for (const word of part.split(/(?<=\s)/)) {
    if (piece !== "" && piece.length + word.length > LIMITS.passageCharsMax) {
      pieces.push(piece.trim());
      piece = "";
    }
    piece += word.slice(0, LIMITS.passageCharsMax);
  }
  return [...pieces, piece.trim()].filter((it) => it !== "").map((it) => it.toWellFormed());
}
