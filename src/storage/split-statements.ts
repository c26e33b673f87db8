const DOLLAR_TAG = /^\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$/;

/** Index just behind what starts at `start` and ends with `end`; the text's end where it never ends. */
function behind(text: string, start: number, end: string): number {
  const found = text.indexOf(end, start);
  return found < 0 ? text.length : found + end.length;
}

function behindQuoted(text: string, start: number, quote: string): number {
  const end = behind(text, start, quote);
  return text[end] === quote ? behindQuoted(text, end + 1, quote) : end;
}

function behindEscapeString(text: string, start: number): number {
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === "'" && text[index + 1] === "'") index += 1;
    else if (text[index] === "'") return index + 1;
  }
  return text.length;
}

function behindBlockComment(text: string, start: number): number {
  let depth = 1;
  for (let index = start + 2; index < text.length; index += 1) {
    if (text.startsWith("/*", index)) {
      depth += 1;
      index += 1;
    } else if (text.startsWith("*/", index)) {
      depth -= 1;
      index += 1;
      if (depth === 0) return index + 1;
    }
  }
  return text.length;
}

function behindDollar(text: string, start: number): number {
  const tag = DOLLAR_TAG.exec(text.slice(start, start + 64))?.[0];
  const insideName = start > 0 && /[\w$]/.test(text[start - 1] ?? "");
  return tag === undefined || insideName ? start + 1 : behind(text, start + tag.length, tag);
}

/** Index behind the token at `index`: whatever may hide a semicolon is one token. */
function behindToken(text: string, index: number): number {
  const at = text[index];
  if (at === "'") {
    const escapes = /(?:^|[^\w$])[eE]$/.test(text.slice(Math.max(0, index - 2), index));
    return escapes ? behindEscapeString(text, index + 1) : behindQuoted(text, index + 1, "'");
  }
  if (at === '"') return behindQuoted(text, index + 1, '"');
  if (at === "$") return behindDollar(text, index);
  if (text.startsWith("--", index)) return behind(text, index, "\n");
  if (text.startsWith("/*", index)) return behindBlockComment(text, index);
  return index + 1;
}

/**
 * Splits a migration into its statements, so that each travels alone. Semicolons inside strings, quoted names,
 * dollar quotes and comments don't split. What holds nothing but comments is no statement.
 */
export function splitStatements(text: string): readonly string[] {
  const statements: string[] = [];
  let start = 0;
  let holdsCode = false;
  const take = (end: number): void => {
    if (holdsCode) statements.push(text.slice(start, end).trim());
    holdsCode = false;
  };
  for (let index = 0; index < text.length; ) {
    const end = behindToken(text, index);
    if (text[index] === ";" && end === index + 1) {
      take(index);
      start = end;
    } else if (!/^(?:\s|--|\/\*)/.test(text.slice(index, index + 2))) {
      holdsCode = true;
    }
    index = end;
  }
  take(text.length);
  return statements;
}
