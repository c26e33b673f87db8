import { openaiRows } from "./openai.js";
import { type Defaults, isObject, type Parsed } from "./row.js";

/**
 * One line of a JSON Lines transcript: a turn `{session, source_id, speaker, role, text, observed_at, subject?}`, or a
 * whole chat `{messages: [...]}`. An empty line is nothing.
 */
export function jsonlRows(line: string, number: number, defaults: Defaults): readonly Parsed[] {
  if (line.trim() === "") return [];
  const place = `line ${number}`;
  const value = parse(line);
  if (!isObject(value)) {
    const message = value === undefined ? "isn't JSON" : "isn't a JSON object";
    return [{ place, field: "line", message }];
  }
  if (Array.isArray(value.messages)) {
    const session = `${defaults.session}:${number}`;
    return openaiRows(value, { ...defaults, session }).map((row) => ({
      ...row,
      place: `${place}, ${row.place}`,
    }));
  }
  return [turnOf(value, number, defaults)];
}

/** One line of a file of events: an event with its subject, or without where all are of one. */
export function eventRows(line: string, number: number): readonly Parsed[] {
  if (line.trim() === "") return [];
  const place = `line ${number}`;
  const value = parse(line);
  if (!isObject(value)) {
    const message = value === undefined ? "isn't JSON" : "isn't a JSON object";
    return [{ place, field: "line", message }];
  }
  const { subject, ...row } = value;
  if (subject !== undefined && typeof subject !== "string")
    return [{ place, field: "subject", message: "must be a string" }];
  return [{ place, subject: subject ?? null, row }];
}

function turnOf(
  value: Readonly<Record<string, unknown>>,
  number: number,
  defaults: Defaults,
): Parsed {
  const { subject, ...said } = value;
  const place = `line ${number}`;
  if (subject !== undefined && typeof subject !== "string") {
    return { place, field: "subject", message: "must be a string" };
  }
  const session = said.session ?? defaults.session;
  return {
    place,
    subject: subject ?? null,
    row: {
      ...said,
      session,
      // The same line of the same file is the same source, so a repeated import adds nothing.
      source_id: said.source_id ?? `${String(session)}:${number}`,
      ...(said.observed_at === undefined && defaults.observedAt !== null
        ? { observed_at: defaults.observedAt }
        : {}),
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
