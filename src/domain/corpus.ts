/** What a corpus declares of itself. A corpus that doesn't say all of it isn't served. */
export interface CorpusRules {
  readonly corpus: string;
  /** Days after which a document counts as stale; null where it doesn't age. */
  readonly fresh_days: number | null;
  readonly citations: "required" | "optional";
  /** True where an answer may not be made up when nothing is found. */
  readonly refuse_on_empty: boolean;
  /** Of passages about one topic: the newest alone, all of them marked, or a human decides. */
  readonly contradictions: "newest" | "show" | "escalate";
}

/** A piece of a document that was found. */
export interface Passage {
  readonly corpus: string;
  readonly document: string;
  readonly title: string;
  /** Names the place so that a reader finds it again. */
  readonly citation: string;
  readonly text: string;
  /** When the document was last right, in the words of its owner. */
  readonly as_of: Date;
  /** What the document rules on: two of them on one topic may contradict each other. */
  readonly topic: string | null;
  /** Groups that may read the document. */
  readonly readers: readonly string[];
  readonly score: number;
}

/** A passage as the run gets it. */
export interface ShownPassage
  extends Pick<Passage, "corpus" | "document" | "title" | "citation" | "text"> {
  readonly as_of: string;
  readonly stale: boolean;
  /** Citations of other documents on its topic. */
  readonly contradicts: readonly string[];
}

const DAY_MS = 86_400_000;

/** Best first. Applies what each passage's corpus says of age and of documents that contradict each other. */
export function settlePassages(
  passages: readonly Passage[],
  rules: ReadonlyMap<string, CorpusRules>,
  now: Date,
): readonly ShownPassage[] {
  const onTopic = (passage: Passage) =>
    passage.topic === null
      ? []
      : passages.filter(
          ({ corpus, topic, document }) =>
            corpus === passage.corpus && topic === passage.topic && document !== passage.document,
        );
  return passages.flatMap((passage) => {
    const rule = rules.get(passage.corpus);
    if (rule === undefined) return [];
    const others = onTopic(passage);
    const isOutdated = others.some(({ as_of }) => as_of > passage.as_of);
    if (rule.contradictions === "newest" && isOutdated) return [];
    const { corpus, document, title, citation, text, as_of } = passage;
    const ageDays = (now.getTime() - as_of.getTime()) / DAY_MS;
    return [
      {
        corpus,
        document,
        title,
        citation,
        text,
        as_of: as_of.toISOString().slice(0, 10),
        stale: rule.fresh_days !== null && ageDays > rule.fresh_days,
        contradicts: rule.contradictions === "newest" ? [] : others.map((other) => other.citation),
      },
    ];
  });
}
