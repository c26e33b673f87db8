import { uuidv7 } from "uuidv7";
import { DIGEST_PARTS, EMPTY_DIGEST } from "../domain/digest.js";
import { parseDigest } from "../domain/digest-rules.js";
import { invalid } from "../domain/fields.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import { Unmet } from "../domain/unmet.js";
import { requireUnpurged } from "../storage/queries/reach-delete-whole.js";
import { touchRun } from "../storage/queries/run-touch.js";
import {
  listSessionRuns,
  listSessionTurns,
  listSessionWorking,
} from "../storage/queries/session-content.js";
import { readSubject } from "../storage/queries/subject-read.js";
import { runScope } from "../storage/scope.js";
import type { Transaction } from "../storage/store.js";
import type { Caller } from "./caller.js";
import { episodeClock, idleEnd } from "./clocks.js";
import { conversations } from "./conversations.js";
import { currentStage } from "./current-stage.js";
import { writeEpisode } from "./episode-writing.js";
import { govern } from "./govern.js";
import { findRepeat, keepReply, makeRepeatable, refuseRepeat } from "./idempotency.js";
import { appendEpisodeInput } from "./inputs/episode.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply, Operation } from "./operation.js";
import { type PinnedRun, pinOf } from "./pins.js";
import type { Services } from "./services.js";

export interface AppendEpisodeReply {
  readonly episode_id: string;
  readonly decision: DecisionReply;
}

/** All that was said in the session so far. */
const WHOLE = { after_epoch: 0, epoch: 2_147_483_647, data_class: null };

/**
 * Keeps what a conversation came to before its session closes, in the same form and after the same checks as compression:
 * each statement cites turns of this run's session and route, or items of its working memory. Two network round trips.
 */
export function appendEpisode(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<AppendEpisodeReply> {
  return govern(services, caller, "append_episode", async (op) => {
    const { data_class: dataClass, ...given } = parseInput(appendEpisodeInput, body);
    const pinned = await pinOf(op, run);
    const { pin, key } = pinned;
    makeRepeatable(op, key, [run, body]);
    const stageId = await currentStage(services, caller, pin);
    const tool = { name: "append_episode", ...(stageId === undefined ? {} : { stageId }) };
    const permit = op.permit({ type: "run", pin }, { tool });
    return await services.store.transact(permit, async (tx) => {
      const { conversation, purgeRevision } = await readConversation(op, tx, permit, pinned);
      const digest = parseDigest(withAll(given), conversation.source);
      if (DIGEST_PARTS.every((part) => digest[part].length === 0))
        throw invalid("body", "says nothing");
      const { id, statement } = writeEpisode(services, permit, key, {
        conversation: { ...conversation, run: pin.run },
        digest,
        origin: "append",
        dataClass: dataClass ?? null,
        name: uuidv7(),
      });
      const reply = { episode_id: id, decision: op.decision() };
      const expiresAt = idleEnd(pin, op.now);
      await tx.commit([
        ...keepReply(op, permit, reply),
        touchRun(runScope(permit), { pin, expiresAt, byAgent: true }),
        requireUnpurged(permit, purgeRevision),
        statement,
        op.audit(permit, {
          writes: [{ kind: "episode", ids: [id] }],
          ttl: episodeClock(services.retention.episodeDays),
        }),
      ]);
      return reply;
    });
  });
}

/** What was said and done in the run's session under its route. */
async function readConversation(
  op: Operation<"append_episode">,
  tx: Transaction,
  permit: Permit<"append_episode">,
  { pin, key }: PinnedRun,
) {
  const [[subject], runs, turns, working, seen] = await tx.send([
    readSubject(permit),
    listSessionRuns(permit, LIMITS.pageRowsMax),
    listSessionTurns(permit, WHOLE, LIMITS.digestTurnsMax),
    listSessionWorking(permit, LIMITS.workingRowsMax),
    ...findRepeat(op, permit),
  ]);
  refuseRepeat(seen);
  if (subject === undefined) throw new Unmet("subject_gone");
  const own = runs.filter(({ routeId }) => routeId === pin.routeId);
  const [conversation] = conversations(op.services, key, { runs: own, turns, working });
  if (conversation === undefined) throw invalid("body", "is about a session without content");
  return { conversation, purgeRevision: subject.purgeRevision };
}

/** A list that isn't given is empty. */
function withAll(given: Readonly<Partial<Record<(typeof DIGEST_PARTS)[number], unknown>>>) {
  return Object.fromEntries(DIGEST_PARTS.map((part) => [part, given[part] ?? EMPTY_DIGEST[part]]));
}
