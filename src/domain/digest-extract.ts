import type { Digest, DigestEntry, DigestSource, DigestTurn } from "./digest.js";
import { refusedInEpisode } from "./digest-rules.js";
import { isVisible } from "./input.js";
import { LIMITS } from "./limits.js";

/** Ends of a question in the scripts that have one. */
const QUESTION_END = /[?？؟⸮]["'”’)\]]*\s*$/u;
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
    const questions = [...SENTENCES.segment(text)]
      .map(({ segment }) => segment.trim())
      .filter((sentence) => QUESTION_END.test(sentence));
    return questions.map((question) => ({ text: question, turn_ids: [id], working: [] }));
  });
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
