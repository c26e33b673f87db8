const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ by this bit alone. */
const BRACE_BIT = 0x20;
const OPENING = 0x5b;
const CLOSING = 0x5d;

/**
 * Counts brackets outside of strings. Exact for JSON, and for what isn't the parser has the last word. For before parsing: a
 * megabyte of brackets takes the parser most of a second.
 */
export function isDeeperThan(depthMax: number, bytes: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (isText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isText = false;
      continue;
    }
    if (byte === QUOTE) isText = true;
    else if ((byte & ~BRACE_BIT) === OPENING && ++depth > depthMax) return true;
    else if ((byte & ~BRACE_BIT) === CLOSING) depth--;
  }
  return false;
}
