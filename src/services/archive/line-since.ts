import type { Accepted } from "./accept-lines.js";

/** Since when a line's row is there to be forgotten: a time ahead of when it was written down is nobody's knowledge. */
export function sinceOf({ codec, line }: Accepted): Date {
  const since = line[codec.table.since] as Date;
  const recorded = line.recorded_at;
  return recorded instanceof Date && recorded < since ? recorded : since;
}
