import { clausesOf } from "./sentences.js";

/** Words behind which a clause says what was, or what isn't. */
const BEFORE =
  /(?<![\p{L}\p{M}])(?:before|previously|earlier|formerly|once|used to|was|were|had|no longer|not|no|never|instead of|rather than|früher|vorher|bisher|statt|anstatt|nicht|kein\p{L}*|antes|ya no|en vez de)(?![\p{L}\p{M}])|n['\u2019]t(?![\p{L}])/iu;
const FROM_TO = /(?<![\p{L}])(?:from|von|de)\s(.+?)\s(?:to|zu|auf|a)\s(.+)/iu;

/** What a statement says is so, and what it says was so or isn't: "evenings" and "mornings" of "Evenings now instead of mornings". */
export function nowAndBefore(text: string): { readonly now: string; readonly before: string } {
  const now: string[] = [];
  const before: string[] = [];
  // "(before: ...)" is one clause.
  for (const clause of clausesOf(text.replaceAll(/[:(]/g, " "))) {
    const moved = FROM_TO.exec(clause);
    const at = clause.search(BEFORE);
    if (moved !== null) {
      before.push(moved[1] ?? "");
      now.push(moved[2] ?? "");
    } else if (at < 0) now.push(clause);
    else {
      now.push(clause.slice(0, at));
      before.push(clause.slice(at));
    }
  }
  return { now: now.join(" "), before: before.join(" ") };
}
