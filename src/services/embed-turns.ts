import { hoursAfter } from "../domain/clock.js";
import type { Embedder } from "../domain/embedder.js";
import type { SubjectId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import { Unmet } from "../domain/unmet.js";
import { textPieces } from "../recall/text-pieces.js";
import { encodeVectors, vectorOf } from "../recall/vector.js";
import { lockMemory } from "../storage/queries/segment-insert.js";
import type { UnsealedRow } from "../storage/queries/segment-list-unsealed.js";
import { readSubject } from "../storage/queries/subject-read.js";
import { listTurnsToEmbed, type TurnToEmbed } from "../storage/queries/turn-list-to-embed.js";
import { deleteOtherVectors } from "../storage/queries/vector-delete.js";
import { insertVectors, type NewVector, requireReached } from "../storage/queries/vector-insert.js";
import { NO_VECTORS, type Reached, readReached } from "../storage/queries/vector-list.js";
import { listUnembedded } from "../storage/queries/vector-list-unembedded.js";
import type { Caller } from "./caller.js";
import { eachTenant } from "./each-tenant.js";
import { govern } from "./govern.js";
import { isRead } from "./meaning.js";
import type { Services } from "./services.js";
import { openTurns } from "./turn-reading.js";
import { vectorPlace } from "./vector-place.js";

/** How many turns of a tenant's subjects were gone through. */
export interface EmbedReport {
  readonly tenant: string;
  readonly turns: number;
}

/** Subjects that are looked at in one statement. */
const SUBJECTS_PAGE = 500;

/** Another process embeds the subject, or it has ended: what is there now is dealt with the next time. */
const GIVEN_UP: ReadonlySet<string> = new Set(["embedded_meanwhile", "subject_gone"]);

/**
 * Gives turns their vectors, as the job `embed_turns`, oldest first. Recall never waits for it: a turn without a vector is
 * found by its words. With another model it begins anew, beside the vectors that are there.
 */
export async function embedTurns(services: Services): Promise<readonly EmbedReport[]> {
  const { embedder } = services;
  if (embedder === null) return [];
  return await eachTenant(services, "embed_turns", async (caller, tenant) => {
    let turns = 0;
    let after: SubjectId | null = null;
    do {
      const page: readonly UnsealedRow[] = await listPage(services, caller, embedder, after);
      for (const one of page) {
        if (!one.isDue || turns >= LIMITS.embeddedAtOnceMax) continue;
        turns += await embedSubject(services, caller, embedder, one);
      }
      after = page.length < SUBJECTS_PAGE ? null : (page.at(-1)?.subjectId ?? null);
    } while (after !== null);
    return { tenant, turns };
  });
}

function listPage(
  services: Services,
  caller: Caller,
  { model }: Embedder,
  after: SubjectId | null,
): Promise<readonly UnsealedRow[]> {
  return govern(services, caller, "list_unembedded", async (op) => {
    const permit = op.permit({ type: "tenant" }, {});
    return await services.store.transact(permit, async (tx) => {
      const superseded = {
        until: hoursAfter(op.now, -LIMITS.supersededDays * 24),
        limit: LIMITS.sweepRowsMax,
      };
      const [page, [other]] = await tx.send([
        listUnembedded(permit, { model, after, limit: SUBJECTS_PAGE }),
        deleteOtherVectors(permit, model, superseded),
      ]);
      const reads = [{ kind: "subject", ids: [], count: page.length }];
      const writes = [{ kind: "superseded_vectors", ids: [], count: other?.removed ?? 0 }];
      await tx.commit([op.audit(permit, { reads, writes })]);
      return page;
    });
  });
}

async function embedSubject(
  services: Services,
  caller: Caller,
  embedder: Embedder,
  { subjectId, keyId }: UnsealedRow,
): Promise<number> {
  const key = await services.keyring.subjectKey(caller.principal.tenant, subjectId, keyId);
  if (key === null) return 0;
  let done = 0;
  while (done < LIMITS.embeddedAtOnceMax) {
    const made = await embedNext(services, caller, embedder, key);
    if (made === 0) break;
    done += made;
  }
  return done;
}

interface NextTurns {
  readonly reached: Reached;
  readonly purgeRevision: number;
  readonly rows: readonly TurnToEmbed[];
}

/** Gives the next turns their vectors: reads, embeds outside of any transaction, and writes what is still as it was. */
function embedNext(
  services: Services,
  caller: Caller,
  embedder: Embedder,
  key: SubjectKey,
): Promise<number> {
  return govern(services, caller, "embed_turns", async (op) => {
    const { subject, keyId } = key;
    const resource = { type: "memory" as const, subject, keyId };
    const reading = op.permit(resource, {});
    const next = await services.store.transact(reading, async (tx): Promise<NextTurns | null> => {
      const [[live], [last]] = await tx.send([
        readSubject(reading),
        readReached(reading, embedder.model),
      ]);
      if (live === undefined) return null;
      const reached = last ?? NO_VECTORS;
      const [rows] = await tx.send([listTurnsToEmbed(reading, reached, LIMITS.embedTurnsMax)]);
      const reads = [{ kind: "turn", ids: rows.map(({ turnId }) => turnId) }];
      await tx.commit([op.auditStep(reading, { reads })]);
      return { reached, purgeRevision: live.purgeRevision, rows };
    });
    if (next === null || next.rows.length === 0) return 0;
    const vectors = await sealVectors(services, embedder, key, next.rows);
    const writing = op.permit(resource, {});
    try {
      await services.store.transact(writing, (tx) =>
        tx.commit([
          lockMemory(writing, next.purgeRevision),
          requireReached(writing, embedder.model, next.reached),
          insertVectors(writing, embedder.model, vectors),
          op.audit(writing, {
            writes: [{ kind: "vector", ids: next.rows.map(({ turnId }) => turnId) }],
          }),
        ]),
      );
      return next.rows.length;
    } catch (error) {
      if (error instanceof Unmet && GIVEN_UP.has(error.code)) return 0;
      throw error;
    }
  });
}

/** The sealed vectors of each turn; no bytes where the model doesn't read its text. */
async function sealVectors(
  services: Services,
  embedder: Embedder,
  key: SubjectKey,
  rows: readonly TurnToEmbed[],
): Promise<readonly NewVector[]> {
  const pieces = rows.map((row) => {
    const [turn] = openTurns([row], key, services.onAlarm);
    if (turn === undefined || !isRead(services, turn.content.text)) return [];
    // Who said it is a part of what it means.
    const said = turn.speaker === null ? "" : `${turn.speaker}: `;
    return textPieces(said + turn.content.text, embedder.textCharsMax);
  });
  const texts = pieces.flat();
  const made =
    texts.length === 0 ? [] : await embedder.embed(texts, AbortSignal.timeout(LIMITS.embedMsMax));
  let at = 0;
  return rows.map(({ turnId, revision }, place) => {
    const count = pieces[place]?.length ?? 0;
    const vectors = made.slice(at, at + count).flatMap((values) => vectorOf(values) ?? []);
    at += count;
    const sealed =
      vectors.length === 0
        ? new Uint8Array()
        : key.sealIndex(vectorPlace(turnId, embedder.model), encodeVectors(vectors));
    return { turnId, revision, sealed };
  });
}
