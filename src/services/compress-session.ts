import type { Digest } from "../domain/digest.js";
import { parseDigest } from "../domain/digest-rules.js";
import { notFound } from "../domain/errors.js";
import type { SessionId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import { remembers } from "../domain/profile.js";
import type { CompressionDetail } from "../domain/work.js";
import { requireUnpurged } from "../storage/queries/reach-delete-whole.js";
import {
  listSessionRuns,
  listSessionTurns,
  listSessionWorking,
} from "../storage/queries/session-content.js";
import { readSubject } from "../storage/queries/subject-read.js";
import { touchSubject } from "../storage/queries/subject-touch.js";
import type { ClaimedWork } from "../storage/queries/work-claim.js";
import { finishWork } from "../storage/queries/work-end.js";
import { subjectScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { type Conversation, conversations } from "./conversations.js";
import { writeEpisode } from "./episode-writing.js";
import { govern } from "./govern.js";
import { askWithinBudget } from "./model-budget.js";
import type { Operation } from "./operation.js";
import type { Services } from "./services.js";
import { workKey } from "./work-key.js";

export type Compression = ClaimedWork & {
  readonly sessionId: SessionId;
  readonly detail: CompressionDetail;
};

/**
 * Makes one episode of each route that a closed session talked under. A digest that isn't right is an error: nothing is
 * guessed, and nothing is kept of it.
 */
export async function compressSession(
  services: Services,
  caller: Caller,
  work: Compression,
): Promise<void> {
  const key = await workKey(services, caller, work);
  const found = await govern(services, caller, "compress_session", (op) => read(op, key, work));
  // The model is asked between two transactions: none is held open while somebody else thinks.
  const digested: Digested[] = [];
  for (const conversation of found.made)
    digested.push({ conversation, digest: await digestOf(services, caller, conversation) });
  await govern(services, caller, "compress_session", (op) =>
    keep(op, key, work, { digested, purgeRevision: found.purgeRevision }),
  );
}

interface Digested {
  readonly conversation: Conversation;
  readonly digest: Digest;
}

interface Kept {
  readonly digested: readonly Digested[];
  /** Nothing is kept where something of the person was forgotten since. */
  readonly purgeRevision: number;
}

async function read(op: Operation<"compress_session">, key: SubjectKey, work: Compression) {
  const { services } = op;
  const permit = op.permit(sessionOf(work), {});
  return await services.store.transact(permit, async (tx) => {
    const [[standing], runs, turns, working] = await tx.send([
      readSubject(permit),
      listSessionRuns(permit, LIMITS.pageRowsMax),
      listSessionTurns(permit, work.detail, LIMITS.digestTurnsMax),
      listSessionWorking(permit, LIMITS.workingRowsMax),
    ]);
    const kept = runs.filter((run) => remembers(run.profile) && isWanted(work, run.routeId));
    await tx.commit([
      op.audit(permit, { reads: [{ kind: "turn", ids: turns.map(({ turnId }) => turnId) }] }),
    ]);
    if (standing === undefined) throw notFound();
    const made = conversations(services, key, { runs: kept, turns, working });
    return { made, purgeRevision: standing.purgeRevision };
  });
}

async function keep(
  op: Operation<"compress_session">,
  key: SubjectKey,
  work: Compression,
  { digested, purgeRevision }: Kept,
): Promise<void> {
  const { services } = op;
  const permit = op.permit(sessionOf(work), {});
  const episodes = digested.map(({ conversation, digest }) =>
    writeEpisode(services, permit, key, {
      conversation,
      digest,
      origin: "session_close",
      dataClass: work.detail.data_class,
      name: `${work.workId}/${conversation.routeId}`,
    }),
  );
  await services.store.transact(permit, (tx) =>
    tx.commit([
      touchSubject(subjectScope(permit)),
      requireUnpurged(permit, purgeRevision),
      ...episodes.map(({ statement }) => statement),
      finishWork(permit, work),
      op.audit(permit, { writes: [{ kind: "episode", ids: episodes.map(({ id }) => id) }] }),
    ]),
  );
}

function sessionOf({ subjectId: subject, keyId, sessionId: session }: Compression) {
  return { type: "session", subject, keyId, session } as const;
}

/** A compression that is done again is about the routes whose episodes went. */
function isWanted({ detail }: Compression, route: string): boolean {
  return detail.routes === undefined || detail.routes.includes(route);
}

async function digestOf(
  services: Services,
  caller: Caller,
  { source }: Conversation,
): Promise<Digest> {
  const asked = services.digester;
  const given = await askWithinBudget(services, caller, "digest", { asked, source });
  return parseDigest(given, source, "digest");
}
