import type { Pin } from "../domain/pin.js";
import { corporaOf } from "../domain/retrieval-rules.js";
import type { Caller } from "./caller.js";
import { type CorpusFound, searchCorpora } from "./corpus-search.js";
import { govern } from "./govern.js";
import { searchCorpusInput } from "./inputs/corpus.js";
import { parseInput } from "./inputs/parse.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import type { Services } from "./services.js";

export interface SearchCorpusReply extends CorpusFound {
  readonly decision: DecisionReply;
}

/** Searches corpora of the pinned route. What is found is a document's, never a person's memory: nothing is kept of it. */
export function searchCorpus(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<SearchCorpusReply> {
  return govern(services, caller, "search_corpus", async (op) => {
    const input = parseInput(searchCorpusInput, body);
    const { pin } = await pinOf(op, run);
    const search = searchOf(pin, input);
    const permit = op.permit({ type: "run", pin }, { corpora: search.corpora });
    const found = await searchCorpora(services, caller, search, op.now);
    await services.store.transact(permit, (tx) =>
      tx.commit([op.audit(permit, { reads: corpusReads(found) })]),
    );
    return { ...found, decision: op.decision() };
  });
}

/** The route's own corpora and limit where the caller names none. */
export function searchOf(
  { route }: Pin,
  {
    query,
    corpora,
    limit,
  }: { query: string; corpora?: readonly string[] | undefined; limit?: number | undefined },
) {
  const own = corporaOf(route);
  return { query, corpora: corpora ?? own.scope, limit: limit ?? own.limit };
}

/** Documents by their owner's names, never their text. */
export function corpusReads({ passages }: CorpusFound) {
  return [{ kind: "passage", ids: passages.map(({ citation }) => citation) }];
}
