import { NIL_ID } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";

/** Every row of a list that is read page by page, each page behind the last id of the one before. */
export async function* eachRow<Id extends string, Row extends Readonly<Record<Id, string>>>(
  id: Id,
  read: (after: string, limit: number) => Promise<readonly Row[]>,
): AsyncGenerator<Row, void, undefined> {
  const limit = LIMITS.pageRowsMax;
  for (let after: string = NIL_ID; ; ) {
    const rows = await read(after, limit);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = last[id];
  }
}
