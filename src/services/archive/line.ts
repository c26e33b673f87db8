import { createHash } from "node:crypto";
import stringify from "safe-stable-stringify";
import { z } from "zod";
import type { ArchiveLine } from "../../domain/archive.js";
import { must } from "../../domain/errors.js";
import type { SubjectId } from "../../domain/ids.js";
import type { SubjectKey } from "../../domain/keyring.js";
import { LIMITS } from "../../domain/limits.js";
import {
  type ArchivedColumn,
  type ArchivedRow,
  isNamed,
  NAMED,
} from "../../storage/archive/archived-table.js";
import { anyText, externalId, instant } from "../inputs/parse.js";
import { externalPlace } from "../subjects.js";
import { type Codec, lineKey } from "./codec.js";

/** One definition of a route or field, as two places compare theirs. */
export function hashDefinition(definition: unknown): string {
  const text = must(stringify(definition), "text of a definition");
  return createHash("sha256").update(text).digest("hex");
}

/** The line of a row, opened. Throws `IntegrityError` where something of it doesn't open in its place. */
export function writeLine(
  codec: Codec,
  row: ArchivedRow,
  {
    subject,
    key,
    now,
  }: { readonly subject: SubjectId; readonly key: SubjectKey; readonly now: Date },
): ArchiveLine {
  const { table } = codec;
  const places = codec.places(row);
  const line: Record<string, unknown> = { kind: codec.kind, subject_id: subject };
  if (table.isNamed)
    line[table.table] = openName(row, "named", codec.table.table, row[table.key[0] ?? ""], key);
  for (const column of table.columns) {
    const { name, travel } = column;
    if (travel === "made" || travel === "hash") continue;
    line[lineKey(column)] = plain(column, row, () => {
      if (isNamed(travel)) return openName(row, travel, NAMED[travel], row[name], key);
      const sealed = row[name];
      if (!(sealed instanceof Uint8Array) || sealed.length === 0) return null;
      const text = key.open(must(places[name], "place"), sealed);
      return travel === "text" ? text : (JSON.parse(text) as unknown);
    });
  }
  if (codec.relies !== undefined) line.definition_sha256 = hashDefinition(row.definition);
  const whole = { ...line, ...codec.beside?.of(row, key) } as unknown as ArchiveLine;
  return (codec.current?.(whole, now, true) ?? whole) as ArchiveLine;
}

function plain({ name, travel }: ArchivedColumn, row: ArchivedRow, opened: () => unknown): unknown {
  if (travel === "workspace") return row.workspace;
  return travel === "value" || travel === "id" ? row[name] : opened();
}

function openName(
  row: ArchivedRow,
  alias: string,
  kind: string,
  internalId: unknown,
  key: SubjectKey,
): string | null {
  const lookup = row[`${alias}_lookup`];
  const sealed = row[`${alias}_sealed`];
  if (!(lookup instanceof Uint8Array) || !(sealed instanceof Uint8Array)) return null;
  const place = externalPlace(kind as "session", lookup, internalId as string);
  return key.open(place, sealed);
}

const WHOLE = z.int().min(0);
const SHAPES: Readonly<Record<string, z.ZodType>> = {
  uuid: z.uuid(),
  "uuid[]": z.array(z.uuid()).max(LIMITS.pageRowsMax * 10),
  text: anyText(1_024),
  "text[]": z.array(anyText(1_024)).max(LIMITS.pageRowsMax),
  integer: WHOLE.max(2_147_483_646),
  bigint: WHOLE,
  boolean: z.boolean(),
  timestamptz: instant,
};

function shapeOf(codec: Codec, column: ArchivedColumn): z.ZodType {
  const { type, travel, oneOf, nullable } = column;
  const shape = (): z.ZodType => {
    if (travel === "workspace" || isNamed(travel)) return externalId;
    if (travel === "text" || travel === "json")
      return must(codec.contents[lineKey(column)], "shape of a content");
    return oneOf === undefined ? must(SHAPES[type], "shape of a column") : z.enum(oneOf);
  };
  return nullable ? shape().nullable() : shape();
}

const shapes = new WeakMap<Codec, z.ZodType<ArchivedRow>>();

/** Exactly the keys of a kind's line, each with its shape. */
export function lineShape(codec: Codec): z.ZodType<ArchivedRow> {
  const known = shapes.get(codec);
  if (known !== undefined) return known;
  const columns = codec.table.columns.filter(
    ({ travel }) => travel !== "made" && travel !== "hash",
  );
  const shape = z.strictObject({
    kind: z.literal(codec.kind),
    subject_id: z.uuid(),
    ...(codec.table.isNamed ? { [codec.table.table]: externalId } : {}),
    ...Object.fromEntries(columns.map((column) => [lineKey(column), shapeOf(codec, column)])),
    ...(codec.relies === undefined
      ? {}
      : { definition_sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    ...codec.beside?.shape,
  });
  shapes.set(codec, shape);
  return shape;
}
