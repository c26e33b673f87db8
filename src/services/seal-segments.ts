import { uuidv7 } from "uuidv7";
import { type SubjectId, trustedId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import { Unmet } from "../domain/unmet.js";
import { encodeSegment, segmentOf } from "../recall/segment.js";
import { type Slice, sliceIntoSegments } from "../recall/segment-slices.js";
import { ANALYSER_VERSION, type Terms } from "../recall/terms.js";
import { deletePurgedSegments } from "../storage/queries/segment-delete.js";
import {
  insertSegment,
  lockMemory,
  type NewSegment,
  requireUnsealed,
} from "../storage/queries/segment-insert.js";
import { listUnsealed, type UnsealedRow } from "../storage/queries/segment-list-unsealed.js";
import { readSealed } from "../storage/queries/segment-read-sealed.js";
import { listTermsToSeal, type TermsRow } from "../storage/queries/turn-list-terms.js";
import type { Caller } from "./caller.js";
import { eachTenant } from "./each-tenant.js";
import { govern } from "./govern.js";
import type { IndexReading } from "./kept-index.js";
import { segmentPlace } from "./segment-place.js";
import type { Services } from "./services.js";
import { readTerms } from "./terms-reading.js";

/** How many segments were sealed for how many of a tenant's subjects. */
export interface SealReport {
  readonly tenant: string;
  readonly subjects: number;
  readonly segments: number;
}

/** Subjects that are looked at in one statement. */
const SUBJECTS_PAGE = 500;

/** Another process seals the subject, or it has ended: what is there now is dealt with the next time. */
const GIVEN_UP: ReadonlySet<string> = new Set(["sealed_meanwhile", "subject_gone"]);

/**
 * Seals the turns of subjects with many of them as segments of their index, as the job `seal_segments`: a cold recall then
 * opens a few segments instead of every turn. After the analyser changed, this makes the index anew from the texts.
 */
export function sealSegments(services: Services): Promise<readonly SealReport[]> {
  return eachTenant(services, "seal_segments", async (caller, tenant) => {
    const sealed: number[] = [];
    let after: SubjectId | null = null;
    do {
      const page: readonly UnsealedRow[] = await listPage(services, caller, after);
      for (const one of page) if (one.isDue) sealed.push(await sealSubject(services, caller, one));
      after = page.length < SUBJECTS_PAGE ? null : (page.at(-1)?.subjectId ?? null);
    } while (after !== null);
    const segments = sealed.reduce((total, count) => total + count, 0);
    return { tenant, subjects: sealed.filter((count) => count > 0).length, segments };
  });
}

function listPage(
  services: Services,
  caller: Caller,
  after: SubjectId | null,
): Promise<readonly UnsealedRow[]> {
  return govern(services, caller, "list_unsealed", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    const wanted = { analyser: ANALYSER_VERSION, turns: LIMITS.segmentTurnsMax, after };
    return await services.store.transact(permit, async (tx) => {
      const [page] = await tx.send([listUnsealed(permit, { ...wanted, limit: SUBJECTS_PAGE })]);
      const reads = [{ kind: "subject", ids: [], count: page.length }];
      await tx.commit([op.audit(permit, { reads })]);
      return page;
    });
  });
}

/** Seals until what is left makes no further segment. */
async function sealSubject(
  services: Services,
  caller: Caller,
  { subjectId, keyId }: UnsealedRow,
): Promise<number> {
  const key = await services.keyring.subjectKey(caller.principal.tenant, subjectId, keyId);
  if (key === null) return 0;
  let sealed = 0;
  for (;;) {
    const made = await sealNext(services, caller, key);
    if (made === 0) return sealed;
    sealed += made;
  }
}

/** Seals the next turns, in one transaction. */
function sealNext(services: Services, caller: Caller, key: SubjectKey): Promise<number> {
  return govern(services, caller, "seal_segments", async (op) => {
    const { subject, keyId } = key;
    const permit = op.permit({ type: "memory", subject, keyId }, {});
    try {
      return await services.store.transact(permit, async (tx) => {
        const [[reached]] = await tx.send([readSealed(permit, ANALYSER_VERSION)]);
        if (reached === undefined) return 0;
        const { purgeRevision, uptoRevision } = reached;
        const made = await makeSegments({ services, tx, permit, key }, uptoRevision, purgeRevision);
        if (made.length === 0) return 0;
        const analyser = ANALYSER_VERSION;
        await tx.commit([
          lockMemory(permit, purgeRevision),
          requireUnsealed(permit, { analyser, purgeRevision, afterRevision: uptoRevision }),
          deletePurgedSegments(permit, purgeRevision),
          ...made.map((segment) => insertSegment(permit, segment)),
          op.audit(permit, {
            writes: [{ kind: "segment", ids: made.map(({ segmentId }) => segmentId) }],
          }),
        ]);
        return made.length;
      });
    } catch (error) {
      if (error instanceof Unmet && GIVEN_UP.has(error.code)) return 0;
      throw error;
    }
  });
}

async function makeSegments(
  reading: IndexReading,
  afterRevision: number,
  purgeRevision: number,
): Promise<readonly NewSegment[]> {
  const limit = LIMITS.sealedAtOnceMax;
  const [rows] = await reading.tx.send([listTermsToSeal(reading.permit, afterRevision, limit)]);
  const read = await readTerms(reading, rows, limit);
  const sliceable = read.map(({ row, terms }) => ({
    row,
    terms,
    revision: row.revision,
    isReadable: terms !== null,
  }));
  return sliceIntoSegments(sliceable, afterRevision, rows.length === limit).map((slice) =>
    sealSlice(reading.key, purgeRevision, slice),
  );
}

function sealSlice(
  key: SubjectKey,
  purgeRevision: number,
  { after, upto, rows }: Slice<{ readonly row: TermsRow; readonly terms: Terms | null }>,
): NewSegment {
  const turns = rows.flatMap(({ row, terms }) => {
    const { evidenceUntil } = row;
    if (terms === null || evidenceUntil === null) return [];
    return [{ ...row, id: row.turnId, evidenceUntil, terms }];
  });
  const covers = {
    segmentId: trustedId<"SegmentId">(uuidv7()),
    analyser: ANALYSER_VERSION,
    afterRevision: after,
    uptoRevision: upto,
    purgeRevision,
  };
  return {
    ...covers,
    turns: turns.length,
    evidenceUntil: new Date(Math.min(...turns.map((turn) => turn.evidenceUntil.getTime()))),
    sealed: key.sealIndex(segmentPlace(covers), encodeSegment(segmentOf(turns))),
  };
}
