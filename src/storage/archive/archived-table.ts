/** Types of the columns that travel, as SQL spells them. */
export type ColumnType =
  | "uuid"
  | "uuid[]"
  | "text"
  | "text[]"
  | "integer"
  | "bigint"
  | "boolean"
  | "timestamptz"
  | "jsonb"
  | "bytea";

/**
 * How a column travels.
 * `value`: as it is. `id`: an id of ours, given anew where the archive is of another place. `workspace` and those of
 * `NAMED`: by the name behind the id. `text` and `json`: opened, and sealed again under the new subject's key.
 * `made` and `hash`: not at all; the receiving side makes it. An export reads a hash, since it is part of a seal's place.
 */
export type Travel = "value" | "id" | "workspace" | Named | "text" | "json" | "hash" | "made";

/** Columns that stand for an id from outside, by the kind under which that id is kept. */
export const NAMED = { speaker: "speaker", observer: "speaker", source: "source" } as const;
export type Named = keyof typeof NAMED;

export function isNamed(travel: Travel): travel is Named {
  return Object.hasOwn(NAMED, travel);
}

/** A row by its columns' own names, as an archive's codec reads and writes it. */
export type ArchivedRow = Readonly<Record<string, unknown>>;

export interface ArchivedColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly travel: Travel;
  readonly nullable: boolean;
  /** The only values that it may have, where it is a closed list. */
  readonly oneOf?: readonly string[];
  /** True where our own clock told it: whatever a file says, it can't lie ahead. */
  readonly isPast?: true;
  /** Its key in a line, where it doesn't go by its own name there. */
  readonly as?: string;
}

/** One table of a subject's memory as it travels in an archive. Tenant and subject aren't among its columns: no line names them. */
export interface ArchivedTable {
  readonly table: string;
  readonly columns: readonly ArchivedColumn[];
  /** Columns that name a row within its subject. */
  readonly key: readonly string[];
  /** Columns that order an export; the key where absent. */
  readonly order?: readonly string[];
  /** Column that says when what it holds came to be: what was erased later than that doesn't come in again. */
  readonly since: string;
  /** True where the row's own id has an external id, which travels beside it. */
  readonly isNamed?: true;
  /** Condition on `n` under which its clock still runs, at `:now`. */
  readonly alive: string;
  /** Condition on `n` under which an export has it although its own clock runs; without one, always. */
  readonly kept?: string;
  /** Condition on `n` under which what it belongs to stands in the subject. */
  readonly placed: string;
  /** What an export reads beside the columns. */
  readonly beside?: { readonly join: string; readonly select: string };
  /** SQL of columns that the receiving side makes in the statement, from `n` and `u`, the subject. */
  readonly filled?: Readonly<Record<string, string>>;
}

type Options = Partial<Pick<ArchivedColumn, "nullable" | "oneOf">>;

function column(
  name: string,
  type: ColumnType,
  travel: Travel,
  { nullable = false, oneOf }: Options = {},
): ArchivedColumn {
  return { name, type, travel, nullable, ...(oneOf === undefined ? {} : { oneOf }) };
}

export const MAYBE = { nullable: true } as const;

export const value = (name: string, type: ColumnType, options?: Options): ArchivedColumn =>
  column(name, type, "value", options);
export const time = (name: string, options?: Options): ArchivedColumn =>
  column(name, "timestamptz", "value", options);
export const past = (name: string, options?: Options): ArchivedColumn => ({
  ...time(name, options),
  isPast: true,
});
export const id = (name: string, options?: Options): ArchivedColumn =>
  column(name, "uuid", "id", options);
export const ids = (name: string): ArchivedColumn => column(name, "uuid[]", "id");
export const workspace = (): ArchivedColumn => column("workspace_id", "uuid", "workspace");
export const speaker = (): ArchivedColumn => column("speaker_id", "uuid", "speaker", MAYBE);
export const observer = (): ArchivedColumn => column("observer_id", "uuid", "observer", MAYBE);
export const source = (): ArchivedColumn => column("source_id", "uuid", "source", MAYBE);
export const sealedText = (name: string, options?: Options): ArchivedColumn =>
  column(name, "bytea", "text", options);
export const sealedJson = (name: string, options?: Options): ArchivedColumn =>
  column(name, "bytea", "json", options);
export const hash = (name: string): ArchivedColumn => column(name, "bytea", "hash");
export const made = (name: string, type: ColumnType): ArchivedColumn => column(name, type, "made");

/** A row of `table` of the same tenant and subject that agrees with `n` in these columns. */
export function stands(table: string, columns: readonly string[], condition = ""): string {
  const same = columns.map((name) => ` and p.${name} = n.${name}`).join("");
  return `exists (select 1 from muniment.${table} p
      where p.tenant_id = :tenant and p.subject_id = :subject${same}${condition})`;
}
