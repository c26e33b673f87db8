import { PREFETCH_SLOT } from "../domain/slot-condition.js";
import { touchRun } from "../storage/queries/run-touch.js";
import { insertWorking, replaceWorking } from "../storage/queries/working-write.js";
import { runScope } from "../storage/scope.js";
import type { Caller } from "./caller.js";
import { idleEnd, runClock } from "./clocks.js";
import { searchCorpora } from "./corpus-search.js";
import { govern } from "./govern.js";
import { prefetchCorpusInput } from "./inputs/corpus.js";
import { parseInput } from "./inputs/parse.js";
import { pinOf } from "./pins.js";
import { corpusReads, type SearchCorpusReply, searchOf } from "./search-corpus.js";
import type { Services } from "./services.js";
import { sealWorking } from "./working-values.js";

export interface PrefetchCorpusReply extends SearchCorpusReply {
  readonly slot_version: number;
}

/**
 * Searches before the first stage and keeps what was found in the slot `prefetch`, with its citations. It is working
 * memory of the run: it ends with the run's clock, and is neither recalled nor evidence for anything.
 */
export function prefetchCorpus(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<PrefetchCorpusReply> {
  return govern(services, caller, "prefetch_corpus", async (op) => {
    const { slot_version = 0, ...input } = parseInput(prefetchCorpusInput, body);
    const { pin, key } = await pinOf(op, run);
    const search = searchOf(pin, input);
    const permit = op.permit({ type: "run", pin }, { corpora: search.corpora });
    const found = await searchCorpora(services, caller, search, op.now);
    const version = slot_version + 1;
    const slot = sealWorking(key, pin, {
      class: "slot",
      key: PREFETCH_SLOT,
      version,
      value: found,
    });
    const expiresAt = idleEnd(pin, op.now);
    await services.store.transact(permit, (tx) =>
      tx.commit([
        touchRun(runScope(permit), { pin, expiresAt, byAgent: false }),
        version === 1 ? insertWorking(runScope(permit), [slot]) : replaceWorking(permit, slot),
        op.audit(permit, {
          reads: corpusReads(found),
          writes: [{ kind: "slot", ids: [PREFETCH_SLOT] }],
          ttl: runClock(pin, expiresAt),
        }),
      ]),
    );
    return { ...found, slot_version: version, decision: op.decision() };
  });
}
