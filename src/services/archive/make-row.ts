import { must } from "../../domain/errors.js";
import type { WorkspaceId } from "../../domain/ids.js";
import {
  type ArchivedColumn,
  type ArchivedRow,
  isNamed,
  NAMED,
} from "../../storage/archive/archived-table.js";
import type { NewExternalId } from "../../storage/queries/external-id-insert.js";
import { CUSTOMER_KEY } from "../field-values.js";
import { macUuid } from "../mac-uuid.js";
import { externalLookup, externalPlace, type KnownSubject, sealExternalId } from "../subjects.js";
import { type Codec, lineKey, type Making } from "./codec.js";

/**
 * Ids of an archive as they are here. An archive of this very subject names its rows as they are; any other gets ids that
 * follow from its own under the subject's key: the same line is the same row however often it comes, and no id of a file
 * ever meets a row of somebody else.
 */
export function idsFor({ subject, key }: KnownSubject, from: string): Making["idOf"] {
  if (from === subject) return (id) => id;
  return (id) => {
    if (id === from) return subject;
    return id === CUSTOMER_KEY ? id : macUuid(key.mac("archive", id));
  };
}

export interface RowMaking extends Making {
  readonly subject: KnownSubject;
  readonly workspaces: ReadonlyMap<string, WorkspaceId>;
  /** External ids that the rows need, in the order in which they were met. */
  readonly names: NewExternalId[];
  /** Number of the row among the subject's writes. */
  readonly revision: number;
}

/** The row of a parsed line, sealed under the key of the subject that it comes to. */
export function makeRow(codec: Codec, line: ArchivedRow, making: RowMaking): ArchivedRow {
  const { table } = codec;
  const plain = Object.fromEntries(
    table.columns.map((column) => [column.name, plainValue(column, line, making)]),
  );
  const lookups = Object.fromEntries(
    table.columns.flatMap(({ travel }) =>
      isNamed(travel)
        ? [
            [
              `${travel}_lookup`,
              nameOf(NAMED[travel], line[travel], plain.workspace_id as WorkspaceId, making),
            ],
          ]
        : [],
    ),
  );
  if (table.isNamed) nameRow(codec, line, plain, making);
  const row = { ...plain, ...lookups, ...codec.make?.(plain, line, making) };
  const places = codec.places(row);
  const sealed = table.columns
    .filter(({ travel }) => travel === "text" || travel === "json")
    .map((column) => {
      const content = line[lineKey(column)];
      if (content === null && column.nullable) return [column.name, absent(column)];
      const own = codec.renamed?.(content, making.idOf) ?? content;
      const text = column.travel === "text" ? (own as string) : JSON.stringify(own);
      return [column.name, making.key.seal(must(places[column.name], "place"), text)];
    });
  return { ...row, ...Object.fromEntries(sealed) };
}

/** A run lets go of its goal by an empty one; other values that are gone aren't there. */
function absent({ name }: ArchivedColumn): Uint8Array | null {
  return name === "goal_sealed" ? new Uint8Array() : null;
}

function plainValue(column: ArchivedColumn, line: ArchivedRow, making: RowMaking) {
  const { name, type, travel } = column;
  const given = line[lineKey(column)];
  if (travel === "workspace")
    return must(making.workspaces.get(String(line.workspace)), "workspace of a line");
  if (name === "revision") return making.revision;
  if (travel === "id" && type === "uuid[]")
    return (given as readonly string[]).map((id) => making.idOf(id));
  if (travel === "id") return given === null ? null : making.idOf(given as string);
  return travel === "value" ? given : null;
}

function nameOf(
  kind: "speaker" | "source",
  externalId: unknown,
  workspace: WorkspaceId,
  { subject, names }: RowMaking,
): Uint8Array | null {
  if (typeof externalId !== "string") return null;
  const lookup = externalLookup(subject.key, workspace, kind, externalId);
  const isKnown = names.some((name) => name.kind === kind && same(name.lookup, lookup));
  if (!isKnown) names.push(sealExternalId(subject, kind, lookup, externalId));
  return lookup;
}

function nameRow(codec: Codec, line: ArchivedRow, row: ArchivedRow, making: RowMaking): void {
  const kind = codec.table.table as "session";
  const externalId = line[kind] as string;
  const internalId = row[must(codec.table.key[0], "key")] as string;
  const { subject, key } = making.subject;
  const lookup = externalLookup(key, row.workspace_id as WorkspaceId, kind, externalId);
  const sealed = key.seal(externalPlace(kind, lookup, internalId), externalId);
  making.names.push({ kind, lookup, subject, internalId, sealed });
}

function same(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.from(left).equals(right);
}
