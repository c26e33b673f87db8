import { LIMITS } from "../domain/limits.js";
import { BLOCK_TURNS_MAX } from "./block.js";
import type { Revisions } from "./revisions.js";

/** What of a row decides where segments end. */
export interface Sliceable {
  readonly revision: number;
  /** False for a row that can't be indexed: its revision stays outside of segments. */
  readonly isReadable: boolean;
}

export interface Slice<Row> extends Revisions {
  readonly rows: readonly Row[];
}

/**
 * Cuts rows, in the order of their revisions, into the next segments after a revision. A segment ends with the revision
 * that fills it; one that isn't full yet isn't made. `isCut`: there are more rows, maybe of the last revision too.
 */
export function sliceIntoSegments<Row extends Sliceable>(
  rows: readonly Row[],
  after: number,
  isCut: boolean,
): readonly Slice<Row>[] {
  const slices: Slice<Row>[] = [];
  let open: Slice<Row> = { after, upto: after, rows: [] };
  const end = () => {
    if (open.rows.length > 0) slices.push(open);
    open = { after: open.upto, upto: open.upto, rows: [] };
  };
  const whole = isCut ? rows.filter(({ revision }) => revision !== rows.at(-1)?.revision) : rows;
  for (const [upto, group] of byRevision(whole)) {
    if (open.rows.length + group.length > BLOCK_TURNS_MAX) end();
    if (group.length > BLOCK_TURNS_MAX || group.some(({ isReadable }) => !isReadable)) {
      end();
      open = { after: upto, upto, rows: [] };
      continue;
    }
    open = { after: open.after, upto, rows: [...open.rows, ...group] };
    if (open.rows.length >= LIMITS.segmentTurnsMax) end();
  }
  return slices;
}

function byRevision<Row extends Sliceable>(rows: readonly Row[]): ReadonlyMap<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.revision);
    if (group === undefined) groups.set(row.revision, [row]);
    else group.push(row);
  }
  return groups;
}
