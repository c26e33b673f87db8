/** Cuts a text into pieces of at most so many characters, between words where there is one to cut at. */
export function textPieces(text: string, charsMax: number): readonly string[] {
  const pieces: string[] = [];
  for (let rest = text.trim(); rest.length > 0; ) {
    const piece = rest.slice(0, cutOf(rest, charsMax));
    pieces.push(piece.trim());
    rest = rest.slice(piece.length).trim();
  }
  return pieces;
}

function cutOf(text: string, charsMax: number): number {
  if (text.length <= charsMax) return text.length;
  const space = text.slice(0, charsMax + 1).search(/\s\S*$/u);
  if (space > charsMax / 2) return space;
  // Never between the halves of one letter.
  return text.slice(0, charsMax).isWellFormed() ? charsMax : charsMax - 1;
}
