import { must, unreachable } from "../domain/errors.js";
import type { Place, SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { AskedAction } from "../policy/question.js";
import { requireLive } from "../storage/queries/key-rotation.js";
import {
  type Resealed,
  readSealedUnder,
  type SealedRow,
  writeResealed,
} from "../storage/reseal/reseal-text.js";
import {
  SEALED_TABLES,
  type SealedAs,
  type SealedTableName,
} from "../storage/reseal/sealed-tables.js";
import type { Transaction } from "../storage/store.js";
import { orAlarm } from "./integrity.js";
import type { Operation } from "./operation.js";
import { placesOf } from "./seal-places.js";
import type { Services } from "./services.js";

/** The last row of each table that was looked at. */
type Cursor = Readonly<Partial<Record<SealedTableName, SealedRow>>>;

/** A page of each table, with what of it opens sealed anew. */
interface Page {
  readonly found: number;
  readonly resealed: readonly (readonly [(typeof SEALED_TABLES)[number], readonly Resealed[]])[];
  readonly cursor: Cursor;
}

export interface ResealReport {
  /** Rows that were sealed anew. */
  readonly rows: number;
  /** False where something may be left under an older key. */
  readonly isDone: boolean;
}

/**
 * Seals anew, under the subject's newest key, what the older ones sealed: a page of each table in one transaction, while
 * others read and write. Broken off anywhere, it is done again from its beginning: what is under the newest key isn't
 * looked at again. `op` has asked about the subject.
 */
export async function reseal<A extends AskedAction>(
  op: Operation<A>,
  key: SubjectKey,
): Promise<ResealReport> {
  let cursor: Cursor = {};
  let rows = 0;
  for (let batch = 0; batch < LIMITS.resealBatchesMax; batch++) {
    const page = await resealPage(op, key, cursor);
    if (page.found === 0) return { rows, isDone: true };
    rows += page.resealed.reduce((sum, [, made]) => sum + made.length, 0);
    cursor = page.cursor;
  }
  return { rows, isDone: false };
}

async function resealPage<A extends AskedAction>(
  op: Operation<A>,
  key: SubjectKey,
  cursor: Cursor,
): Promise<Page> {
  const permit = op.repermit();
  return await op.services.store.transact(permit, async (tx) => {
    const page = await readPage(op.services, tx, permit, key, cursor, LIMITS.resealRowsMax);
    if (page.resealed.length === 0) {
      await tx.commit([requireLive(permit)]);
      return page;
    }
    await tx.commit([
      requireLive(permit),
      ...page.resealed.map(([table, made]) => writeResealed(permit, table, made)),
      op.auditStep(permit, {
        writes: page.resealed.map(([{ table }, { length: count }]) => ({
          kind: `resealed_${table}`,
          ids: [],
          count,
        })),
      }),
    ]);
    return page;
  });
}

/** Whether something that still opens is sealed under an older key. What doesn't open keeps no key. */
export async function isUnderOlder(
  services: Services,
  tx: Transaction,
  permit: Permit,
  key: SubjectKey,
): Promise<boolean> {
  for (let cursor: Cursor = {}; ; ) {
    const page = await readPage(services, tx, permit, key, cursor, LIMITS.resealRowsMax);
    if (page.resealed.length > 0) return true;
    if (page.found === 0) return false;
    cursor = page.cursor;
  }
}

async function readPage(
  services: Services,
  tx: Transaction,
  permit: Permit,
  key: SubjectKey,
  cursor: Cursor,
  limit: number,
): Promise<Page> {
  const pages = await tx.send(
    SEALED_TABLES.map((table) =>
      readSealedUnder(permit, table, key.olderHeads, cursor[table.table] ?? null, limit),
    ),
  );
  const read = SEALED_TABLES.map((table, index) => [table, pages[index] ?? []] as const);
  const resealed = read.map(
    ([table, rows]) =>
      [table, rows.flatMap((row) => resealRow(services, key, table, row))] as const,
  );
  return {
    found: pages.reduce((sum, rows) => sum + rows.length, 0),
    resealed: resealed.filter(([, made]) => made.length > 0),
    cursor: {
      ...cursor,
      ...Object.fromEntries(
        read.flatMap(([{ table }, rows]) => (rows.length === 0 ? [] : [[table, rows.at(-1)]])),
      ),
    },
  };
}

/** Nothing for a row that doesn't open in its place: that one is broken, and is reported. */
function resealRow(
  { onAlarm }: Services,
  key: SubjectKey,
  { table, sealed }: (typeof SEALED_TABLES)[number],
  row: SealedRow,
): readonly Resealed[] {
  const places = placesOf(table, row);
  const made = orAlarm(onAlarm, () =>
    Object.entries<SealedAs>(sealed).map(([column, as]) => {
      const value = row[column];
      // A value that was taken out is empty.
      if (!(value instanceof Uint8Array) || value.length === 0) return [column, value ?? null];
      return [column, resealed(key, as, must(places[column], "place"), value)];
    }),
  );
  return made === null ? [] : [{ row, sealed: Object.fromEntries(made) }];
}

function resealed(key: SubjectKey, as: SealedAs, place: Place, value: Uint8Array): Uint8Array {
  switch (as) {
    case "text":
      return key.seal(place, key.open(place, value));
    case "terms":
      return key.sealTerms(place, key.openTerms(place, value));
    case "index":
      return key.sealIndex(place, key.openIndex(place, value));
    default:
      return unreachable(as);
  }
}
