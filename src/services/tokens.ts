import { hash } from "node:crypto";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { LRUCache } from "lru-cache";
import { LIMITS } from "../domain/limits.js";

/** The tokenizer's time grows with the square of an unbroken run: 10 s for 100,000 letters. */
const RUN_CHARS_MAX = 1_000;
/** Pieces into which a longer run is cut: small ones are merged fastest. */
const PIECE_CHARS = 256;

/** A line that ends with `>` before one that begins with a mark. */
const BLOCK_END = />\n(?=<[a-z])/g;

/** Marks of a chat template in somebody's text are text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/**
 * Counts tokens as the o200k models do; a run of over 1,000 characters without a break may count a few more.
 * Counts are remembered by the hash of the text: memory of people isn't kept here.
 */
export function createTokenCounter(
  entriesMax: number = LIMITS.cacheEntriesMax,
): (text: string) => number {
  const counts = new LRUCache<string, number>({ max: entriesMax });
  const countBlock = (block: string): number => {
    const key = hash("sha256", block, "base64");
    const known = counts.get(key);
    if (known !== undefined) return known;
    const tokens = pieces(block).reduce((sum, piece) => sum + countTokens(piece, AS_TEXT), 0);
    counts.set(key, tokens);
    return tokens;
  };
  return (text) => blocks(text).reduce((sum, block) => sum + countBlock(block), 0);
}

/**
 * The text, cut where one marked block follows another: the tokenizer always splits there, so the counts add up. A whole
 * pack is counted from the blocks that were counted before.
 */
function blocks(text: string): readonly string[] {
  const cuts: string[] = [];
  let from = 0;
  for (const { index } of text.matchAll(BLOCK_END)) {
    cuts.push(text.slice(from, index + 2));
    from = index + 2;
  }
  cuts.push(text.slice(from));
  return cuts;
}

/** The text, cut inside its runs that are too long. Linear. */
function pieces(text: string): readonly string[] {
  if (text.length <= RUN_CHARS_MAX) return [text];
  const cuts: string[] = [];
  let from = 0;
  for (const { 0: run, index } of text.matchAll(/\S+|\s+/gu)) {
    if (run.length <= RUN_CHARS_MAX) continue;
    for (let at = index + PIECE_CHARS; at < index + run.length; at += PIECE_CHARS) {
      const end = isLowSurrogate(text.charCodeAt(at)) ? at + 1 : at;
      cuts.push(text.slice(from, end));
      from = end;
    }
  }
  cuts.push(text.slice(from));
  return cuts;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
