/** One turn of a transcript on its way to the service, which checks it. */
export interface TranscriptRow {
  /** Where it stands in its file, such as `line 3`. */
  readonly place: string;
  /** Null where the file names none. */
  readonly subject: string | null;
  /** A row as the import operation takes it; keys that it doesn't know are left in, and refused there. */
  readonly row: Readonly<Record<string, unknown>>;
}

/** Something that isn't even a row. Holds no text of the file. */
export interface Unreadable {
  readonly place: string;
  readonly field: string;
  readonly message: string;
}

export type Parsed = TranscriptRow | Unreadable;

export function isUnreadable(parsed: object): parsed is Unreadable {
  return "message" in parsed;
}

/** What stands in where the file says nothing. */
export interface Defaults {
  readonly session: string;
  readonly observedAt: string | null;
  /** Time of the file itself: for chats, whose messages carry none as a rule. */
  readonly fileTime: string;
}

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Only the keys that have a value. */
export function present(values: Json): Json {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** A row whose speaker has the subject's own name says so: else it is taken for somebody else's. */
export function asSubject(row: Json, name: string | undefined): Json {
  const { speaker, role = "user" } = row;
  const isSubject = name !== undefined && speaker === name && role === "user";
  return isSubject ? { ...row, speaker_is_subject: true } : row;
}
