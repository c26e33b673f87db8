import type { Digest, DigestEntry, DigestSource, DigestTurn } from "./digest.js";
import { refusedInEpisode } from "./digest-rules.js";
import { isVisible } from "./input.js";
import { LIMITS } from "./limits.js";

/** Where a question may end, in the scripts that have a mark for it. */
const QUESTION_MARK = /[?？؟⸮]["'”’)\]]{0,4}/gu;
const QUESTION_END = /[?？؟⸮]["'”’)\]]{0,4}$/u;
/** Characters behind a mark that say whether the sentence ends there. */
const BEHIND = 8;
const SENTENCES = new Intl.Segmenter("und", { granularity: "sentence" });

/**
 * The digest that needs no model: quotes and nothing else. Open questions are the person's last ones that nobody
 * answered, decisions are outputs of stages; artifacts and failures stand in working memory. Weaker than a model's, and never
 * wrong about what was said.
 */
export function extractDigest({ turns, items }: DigestSource): Digest {
  const of = (kind: (typeof items)[number]["class"]) =>
    items
      .filter((item) => item.class === kind)
      .map((item) => ({ text: item.text, turn_ids: [], working: [item.id] }));
  return {
    open_questions: bounded([...of("question"), ...openQuestions(turns)]),
    decisions: bounded(of("slot")),
    artifacts: kept(of("artifact")),
    evaluator_failures: kept(of("failure")),
  };
}

/** Questions of the person after which nobody else spoke. */
function openQuestions(turns: readonly DigestTurn[]): readonly DigestEntry[] {
  const answered = turns.findLastIndex(({ role }) => role === "assistant");
  return turns.slice(answered + 1).flatMap(({ id, role, text }) => {
    if (role !== "user") return [];
    return questionsIn(text).map((question) => ({ text: question, turn_ids: [id], working: [] }));
  });
}

/** The last questions of a text. Only what stands around their marks is cut into sentences: each cut copies its whole text. */
function questionsIn(text: string): readonly string[] {
  const marks = [...text.matchAll(QUESTION_MARK)].slice(-LIMITS.digestEntriesMax);
  const found = marks.flatMap(({ 0: mark, index }) => {
    const from = Math.max(0, index - LIMITS.digestCharsMax);
    const around = text.slice(from, index + mark.length + BEHIND);
    const sentence = SENTENCES.segment(around).containing(index - from);
    // One that begins before what was cut out is too long to be kept.
    if (sentence === undefined || (sentence.index === 0 && from > 0)) return [];
    const question = sentence.segment.trim();
    return QUESTION_END.test(question) ? [{ at: from + sentence.index, question }] : [];
  });
  return [...new Map(found.map(({ at, question }) => [at, question])).values()];
}

/** A text that is too long to be one statement isn't cut: what is left of it could say something else. */
function bounded(entries: readonly DigestEntry[]): readonly DigestEntry[] {
  return kept(entries.filter(({ text }) => text.length <= LIMITS.digestCharsMax));
}

function kept(entries: readonly DigestEntry[]): readonly DigestEntry[] {
  return entries
    .filter(({ text }) => isVisible(text) && refusedInEpisode(text) === null)
    .slice(-LIMITS.digestEntriesMax);
}
