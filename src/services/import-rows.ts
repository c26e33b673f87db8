import { type ErrorKind, MunimentError } from "../domain/errors.js";
import { parseInput } from "./inputs/parse.js";
import { type ImportRow, importRow } from "./inputs/turn.js";
import { refuseText } from "./turn-writing.js";

export interface ImportRowReply {
  /** Place of the row in the request, from 0. */
  readonly index: number;
  /** `skipped`: it was forgotten, and mayn't come again. */
  readonly status: "imported" | "duplicate" | "refused" | "skipped";
  readonly refusal?: {
    readonly kind: ErrorKind;
    readonly field: string | null;
    readonly message: string;
  };
}

export interface AcceptedRow {
  readonly index: number;
  readonly row: ImportRow;
}

/** Parses rows one by one: a bad one is refused by itself. Accepted rows come grouped by their session, in their order. */
export function parseRows(rows: readonly unknown[]): {
  readonly bySession: ReadonlyMap<string, readonly AcceptedRow[]>;
  readonly refused: readonly ImportRowReply[];
} {
  const bySession = new Map<string, AcceptedRow[]>();
  const refused: ImportRowReply[] = [];
  rows.forEach((value, index) => {
    try {
      const row = parseRow(value);
      const group = bySession.get(row.session);
      if (group) group.push({ index, row });
      else bySession.set(row.session, [{ index, row }]);
    } catch (error) {
      if (!(error instanceof MunimentError)) throw error;
      refused.push({
        index,
        status: "refused",
        refusal: { kind: error.kind, field: error.field ?? null, message: error.message },
      });
    }
  });
  return { bySession, refused };
}

function parseRow(value: unknown): ImportRow {
  const row = parseInput(importRow, value);
  refuseText(row, "text");
  return row;
}
