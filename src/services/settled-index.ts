import type { TurnId } from "../domain/ids.js";
import type { Permit } from "../domain/permit.js";
import { Unmet } from "../domain/unmet.js";
import type { AskedAction } from "../policy/question.js";
import type { SubjectIndex } from "../recall/subject-index.js";
import type { SubjectRevision } from "../storage/queries/subject-read.js";
import { requireStanding } from "../storage/queries/subject-stands.js";
import { subjectScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";
import type { RowsOf } from "../storage/store.js";
import { type KeptKind, ownerOf } from "./kept-index.js";
import type { Operation } from "./operation.js";
import type { Services } from "./services.js";

/** An index that is taken to be where its subject stands, and where that was. */
export interface SettledIndex {
  readonly index: SubjectIndex;
  readonly standing: SubjectRevision;
}

/** What is read of a settled subject, the row that says so, and what is made of it. */
export interface SettledReading<S extends readonly Statement[], R> {
  readonly reads: S;
  readonly audit: Statement;
  /** Null where the rows aren't what the index ranked. */
  readonly open: (rows: RowsOf<S>) => R | null;
}

/**
 * The index in memory of a subject that has stood still for a while: what it ranks best can be read and audited in one round
 * trip. Null where there is none: somebody who talks to an agent is written of between any two recalls.
 */
export function settledIndex<Row>(
  { indexes }: Services,
  permit: Permit,
  { kind }: KeptKind<Row>,
): SettledIndex | null {
  const owner = ownerOf(permit, kind);
  const kept = indexes.peek(owner);
  if (kept === null || !kept.index.stillness.isLikely) return null;
  if (kept.version.keyId !== subjectScope(permit).keyId) return null;
  const index = indexes.get(owner, kept.version);
  if (index === null) return null;
  index.dropExpired(permit.scope.now);
  const { purgeRevision } = kept.version;
  return { index, standing: { revision: index.revision, purgeRevision } };
}

/** Recalls from a settled index where there is one, and otherwise, or where the subject has moved, with a look where it stands. */
export async function settledOrBehind<A extends AskedAction, Found>(
  op: Operation<A>,
  permit: Permit<A>,
  settled: SettledIndex | null,
  ways: {
    /** Null where the subject has moved, or isn't as its index says. */
    readonly settled: (settled: SettledIndex) => Promise<Found | null>;
    readonly behind: (permit: Permit<A>) => Promise<Found>;
  },
): Promise<Found> {
  if (settled === null) return await ways.behind(permit);
  return (await ways.settled(settled)) ?? (await ways.behind(op.again()));
}

/**
 * Takes out of the index what it ranked and what didn't come back, or doesn't open: the database was changed by nobody of
 * ours. False where it all is there.
 */
export function leaveOutMissing(
  { index }: SettledIndex,
  ranked: readonly TurnId[],
  shown: readonly TurnId[],
): boolean {
  if (shown.length === ranked.length) return false;
  const there = new Set(shown);
  for (const id of ranked) if (!there.has(id)) index.remove(id);
  index.stillness.stir();
  return true;
}

/**
 * Reads, opens what was read while the server commits, and audits, in one round trip, under the condition that the subject
 * still stands where the index says. Null where it doesn't: then the transaction had no effect, and the index isn't taken
 * to be settled any more. Null, too, where `open` makes nothing of the rows: then it is audited what was read, and no more.
 */
export async function openSettled<const S extends readonly Statement[], R>(
  { store }: Services,
  permit: Permit,
  { index, standing }: SettledIndex,
  { reads, audit, open }: SettledReading<S, R>,
): Promise<R | null> {
  try {
    return await store.transact(permit, (tx) =>
      tx.commitOpening([requireStanding(permit, standing), ...reads], [audit], ([, ...rows]) =>
        open(rows as unknown as RowsOf<S>),
      ),
    );
  } catch (error) {
    if (!(error instanceof Unmet && error.code === "index_behind")) throw error;
    index.stillness.failed();
    return null;
  }
}
