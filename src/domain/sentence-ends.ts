import { LIMITS } from "./limits.js";
import { negates } from "./negation.js";

/** A point that ends a word, not a sentence. Behind "no" it may be an answer's, behind "etc" a sentence's. */
const ABBREVIATED =
  /(?<![\p{L}\p{N}])(?:\p{L}|dr|prof|mr|mrs|ms|st|vs|e\.g|i\.e|approx|dept|bzw|lt|ca|evtl|ggf|inkl|zzgl|max|min|nr|tel|str|fa|hr|fr|frl|sog|vgl|ph|sra?|dra?|ud)\.(?=\s*\S)/giu;
/** A point that ends a number of German dates and ranks: "am 3. Mai", "im 2. Stock". */
const RANKED =
  /(?<=(?<![\p{L}])(?:am|im|zum|vom|dem|den|der|die|das|beim|ein\p{L}{0,2}|mein\p{L}{0,2})\s)\d{1,2}\.(?=\s*\S)|(?<![\p{L}\p{N}.,])\d{1,2}\.(?=\s*(?:\d|jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez))/giu;
/** Words behind which more has to come. */
const OPEN_END =
  /(?<![\p{L}])(?:that|if|whether|says?|said|tells?|told|thinks?|thought|believes?|asks?|asked|knows?|and|or|but|because|when|while|as|than|to|of|the|an?|my|his|her|their|your|our|with|for|in|on|at|from|by|is|are|was|am|have|has|had|dass|daß|ob|wenn|weil|falls|und|oder|aber|als|sagte?|meinte?|denkt|glaubt|der|die|das|den|dem|ein\p{L}{0,2}|mein\p{L}{0,2}|mit|von|zu|zum|zur|für|gegen|auf|an|am|bei|beim|im|aus|nach|vor|über|unter|wegen|seit|bis|durch|que|si|y|o|pero|porque|de|el|la|los|las|un|una|con|para|por)$/iu;
const GOES_ON = /^["'(\u201e\u201c\u00ab]?\p{L}/u;
/** A name before a colon begins something of its own. */
const LABEL = /^[\p{L} ]{1,30}:/u;
/** In chats a new sentence may begin small where somebody speaks of themselves. */
const BEGINS_SMALL = /^(?!(?:i|im|ich|yo)(?![\p{L}]))\p{Ll}/u;

/**
 * A text, as long as it was, without the points and line ends at which no sentence ends: an abbreviation's, a date's, and those of
 * a line that goes on in the next one. A sentence that is cut there may lose what denies it.
 */
export function withoutFalseEnds(text: string): string {
  const points = (found: string) => `${found.slice(0, -1)},`;
  return joinLines(text.replaceAll(ABBREVIATED, points).replaceAll(RANKED, points));
}

function joinLines(text: string): string {
  const lines = text.split("\n");
  // How much is one sentence by now: that is never more than what one statement holds.
  let chars = 0;
  const joined = lines.map((line, at) => {
    const next = lines[at + 1];
    if (next === undefined) return line;
    chars += line.length + 1;
    if (chars + next.length <= LIMITS.observationCharsMax && goesOn(line, next))
      return `${line.replace(/\r$/, " ")} `;
    chars = 0;
    return `${line}\n`;
  });
  return joined.join("");
}

function goesOn(before: string, line: string): boolean {
  const [end, begin] = [before.trimEnd(), line.trimStart()];
  if (!/[\p{L}\p{N},;]$/u.test(end) || !GOES_ON.test(begin) || LABEL.test(begin)) return false;
  const [sentence = ""] = end.split(/[.!?]\s/).slice(-1);
  return /[,;]$/.test(end) || OPEN_END.test(end) || BEGINS_SMALL.test(begin) || negates(sentence);
}
