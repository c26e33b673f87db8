/** What may hurt a person if it is forgotten, whatever dimension it was put under. */
const SAFETY =
  /\b(?:allerg\w*|anaphyla\w*|overdos\w*|suicid\w*|self[- ]harm\w*|kill myself|hurt myself|end my life|faint(?:ed|ing)|seizures?|pregnan\w*)\b/i;

/** Words with which nobody says anything about themselves. */
const ACKNOWLEDGEMENT =
  /^(?:ok|okay|k|yes|yeah|yep|no|nope|sure|fine|great|good|cool|nice|perfect|thanks?|thank|you|thx|ty|cheers|please|right|alright|got|it|understood|hi|hello|hey|bye|goodbye|all|very|much|so|a|lot|will|do|sounds|that|is|s|well)$/i;

/** English speaks of its speaker with these. */
export const FIRST_PERSON = /\b(?:i|me|my|mine|myself|we|us|our|ours)\b/i;

/** True for a text that says nothing: "ok, thanks". */
export function isAcknowledgement(text: string): boolean {
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.every((word) => ACKNOWLEDGEMENT.test(word));
}

/** True for what a rewrite may never lose, by its words alone. */
export function isAboutSafety(text: string): boolean {
  return SAFETY.test(text);
}
