import type { z } from "zod";
import type { SubjectKind } from "../../domain/archive.js";
import type { FieldDefinition } from "../../domain/field.js";
import type { Place, SubjectKey } from "../../domain/keyring.js";
import type { Permit } from "../../domain/permit.js";
import type { Projection } from "../../domain/projection.js";
import {
  type ArchivedColumn,
  type ArchivedRow,
  type ArchivedTable,
  isNamed,
} from "../../storage/archive/archived-table.js";
import type { RouteRow } from "../../storage/queries/route-find.js";

/** What a row is made with where it is imported. */
export interface Making {
  readonly key: SubjectKey;
  readonly permit: Permit;
  /** By what a tombstone, or a hold, knows the person. */
  readonly person: Uint8Array;
  /** True where the archive is of this very subject: its rows go by the ids that they have. */
  readonly isAtHome: boolean;
  /** The id that an id of the archive has here. */
  readonly idOf: (id: string) => string;
  readonly route: (routeId: string, version: number) => RouteRow;
  readonly definition: (fieldId: string, version: number) => FieldDefinition;
}

/** What stands here that lines are held to. */
export interface LineRules extends Pick<Making, "definition"> {
  readonly now: Date;
  readonly projections: readonly Projection[];
}

/** What a kind of line needs beyond the description of its table. */
export interface Codec {
  readonly kind: SubjectKind;
  readonly table: ArchivedTable;
  /** Where each sealed column of a row stands. */
  readonly places: (row: ArchivedRow) => Readonly<Record<string, Place>>;
  /** Shapes of what is sealed, by the line's key. */
  readonly contents: Readonly<Record<string, z.ZodType>>;
  /** Route or field whose definition its rows rely on: the receiving side must have the same. */
  readonly relies?: "route" | "field";
  /** A line as it may be read at `now`, where it is written and where it is read. */
  readonly current?: (line: ArchivedRow, now: Date, isAtHome: boolean) => ArchivedRow;
  /** Columns that don't travel, of a row that is complete but for them and its sealed ones. */
  readonly make?: (row: ArchivedRow, line: ArchivedRow, making: Making) => ArchivedRow;
  /** Contents with the ids of ours in them given anew. */
  readonly renamed?: (content: unknown, idOf: Making["idOf"]) => unknown;
  /** What the line says beside the columns, with its shape. */
  readonly beside?: {
    readonly shape: Readonly<Record<string, z.ZodType>>;
    readonly of: (row: ArchivedRow, key: SubjectKey) => ArchivedRow;
  };
  /** Throws where the door of its kind wouldn't take it. */
  readonly check?: (line: ArchivedRow, rules: LineRules) => void;
}

/** Key of a column in a line: what is sealed goes by its plain name, what stands for an external id by whose it is. */
export function lineKey(column: Pick<ArchivedColumn, "name" | "travel" | "as">): string {
  const { name, travel, as } = column;
  if (as !== undefined) return as;
  if (travel === "workspace" || isNamed(travel)) return travel;
  return travel === "text" || travel === "json" ? name.replace(/_sealed$/, "") : name;
}
