import type { Passage } from "../../domain/corpus.js";
import type { CorpusQuery, Retrieval } from "../../services/retrieval.js";
import { type Corpus, readCorpora } from "./corpus-file.js";
import { passagesOf } from "./passages.js";
import { countTerms, type Ranked, rank } from "./rank.js";

/** Words of a text in the spelling by which they are compared. */
export type Analyse = (text: string) => readonly string[];

type Found = Omit<Passage, "score">;

interface Shelf {
  readonly corpus: Corpus;
  readonly passages: readonly Ranked<Found>[];
}

/**
 * Retrieval over a folder of corpora, each a folder with its documents and a `corpus.yaml` that says who may read them
 * and how far they can be trusted. Read once, when it is opened; each corpus is searched apart from the others.
 */
export async function openCorpusFolder(dir: string, analyse: Analyse): Promise<Retrieval> {
  const shelves = (await readCorpora(dir)).map((corpus) => shelve(corpus, analyse));
  return { search: async (query) => search(shelves, query, analyse) };
}

function shelve(corpus: Corpus, analyse: Analyse): Shelf {
  const passages = corpus.documents.flatMap(({ name, title, asOf, readers, topic, text }) =>
    passagesOf(text).map((passage, index) =>
      countTerms(
        {
          corpus: corpus.rules.corpus,
          document: name,
          title,
          citation: `${corpus.rules.corpus}/${name}#${index + 1}`,
          text: passage,
          as_of: asOf,
          topic,
          readers,
        },
        analyse(`${title} ${passage}`),
      ),
    ),
  );
  return { corpus, passages };
}

function search(shelves: readonly Shelf[], query: CorpusQuery, analyse: Analyse) {
  const { corpora, tenant, groups, limit, text } = query;
  const open = shelves.filter(
    ({ corpus }) => corpora.includes(corpus.rules.corpus) && corpus.tenants.includes(tenant),
  );
  const question = analyse(text);
  const found = open.flatMap(({ passages }) => {
    const readable = passages.filter(({ item }) => item.readers.some((it) => groups.includes(it)));
    return rank(readable, question);
  });
  return {
    passages: found
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ item, score }) => ({ ...item, score })),
    corpora: open.map(({ corpus }) => corpus.rules),
  };
}
