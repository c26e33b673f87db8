import type { CorpusRules, Passage } from "../domain/corpus.js";

export interface CorpusQuery {
  readonly text: string;
  /** Corpora that the pinned route lists. */
  readonly corpora: readonly string[];
  /** The caller's tenant, by its external id: a corpus of another one doesn't exist. */
  readonly tenant: string;
  /** Groups of the caller, from its credential: a document is found where one of them may read it. */
  readonly groups: readonly string[];
  readonly limit: number;
}

export interface Retrieved {
  /** Best first. */
  readonly passages: readonly Passage[];
  /** Rules of the corpora that were searched: those of the query that are there for the tenant. */
  readonly corpora: readonly CorpusRules[];
}

/**
 * The way to corpora. It knows nothing of a person: neither subject nor memory is ever part of a query. It filters by
 * tenant, corpus and document before it ranks; the service checks each passage again. Throws where it is out of order.
 */
export interface Retrieval {
  search(query: CorpusQuery): Promise<Retrieved>;
}
