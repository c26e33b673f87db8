import { type CorpusRules, type ShownPassage, settlePassages } from "../domain/corpus.js";
import type { Caller } from "./caller.js";
import type { Retrieval, Retrieved } from "./retrieval.js";
import type { Services } from "./services.js";

export interface CorpusFound {
  readonly outcome: "matches" | "no_matches" | "unavailable";
  readonly passages: readonly ShownPassage[];
  readonly corpora: readonly CorpusRules[];
  /** True where nothing was found and a corpus asks that no answer is made up then. */
  readonly refuse: boolean;
  /** True where documents contradict each other and their corpus wants a human to decide. */
  readonly escalate: boolean;
  readonly next_step: string;
}

export interface CorpusSearch {
  readonly query: string;
  readonly corpora: readonly string[];
  readonly limit: number;
}

const NEXT_STEP = {
  matches: "answer from the passages and cite them; a stale one may be out of date",
  no_matches: "say that the corpus has nothing on it, or ask in other words",
  unavailable: "go on without it, or try again later",
} as const;

/** Searches after the policy allowed it. A passage that isn't of an asked corpus, or isn't the caller's to read, is dropped with an alarm. */
export async function searchCorpora(
  services: Services,
  { principal: { claims } }: Caller,
  { query, corpora, limit }: CorpusSearch,
  now: Date,
): Promise<CorpusFound> {
  const groups = claims.roles;
  const found = await askRetrieval(services.retrieval, {
    text: query,
    corpora,
    tenant: claims.tenant,
    groups,
    limit,
  });
  if (found === null) return told("unavailable", [], []);
  const rules = found.corpora.filter(({ corpus }) => corpora.includes(corpus));
  const own = found.passages.filter((passage) => {
    const belongs =
      corpora.includes(passage.corpus) && passage.readers.some((reader) => groups.includes(reader));
    if (!belongs)
      services.onAlarm({ what: "recheck", table: "corpus", detail: "a passage out of scope" });
    return belongs;
  });
  const byCorpus = new Map(rules.map((rule) => [rule.corpus, rule]));
  const passages = settlePassages(own.slice(0, limit), byCorpus, now);
  return told(passages.length > 0 ? "matches" : "no_matches", passages, rules);
}

async function askRetrieval(
  retrieval: Retrieval | null,
  query: Parameters<Retrieval["search"]>[0],
): Promise<Retrieved | null> {
  if (retrieval === null) return null;
  try {
    return await retrieval.search(query);
  } catch {
    // An answer of its own: the run can go on without its corpora.
    return null;
  }
}

function told(
  outcome: CorpusFound["outcome"],
  passages: readonly ShownPassage[],
  corpora: readonly CorpusRules[],
): CorpusFound {
  const escalating = new Set(
    corpora.filter((it) => it.contradictions === "escalate").map((it) => it.corpus),
  );
  return {
    outcome,
    passages,
    corpora,
    refuse: passages.length === 0 && corpora.some((it) => it.refuse_on_empty),
    escalate: passages.some(
      ({ corpus, contradicts }) => escalating.has(corpus) && contradicts.length > 0,
    ),
    next_step: NEXT_STEP[outcome],
  };
}
