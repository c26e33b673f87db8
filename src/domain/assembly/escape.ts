// INVARIANT: escaped text holds no `<`, no `>` and no quote of an attribute, so that it can't end the block around it.

const NAMED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/**
 * Besides the marks themselves: controls (terminals), bidirectional controls and line separators (they change how the
 * block reads), Unicode tags (text that nobody sees), and the `]` of Markdown links, images and definitions.
 */
const IN_TEXT =
  /[&<>\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u{e0000}-\u{e007f}]|(?![\t\n\r])\p{Cc}|\](?=[([:])/gu;

const IN_ATTRIBUTE =
  /[&<>"\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u{e0000}-\u{e007f}]|\p{Cc}/gu;

/** Marks that chat templates of models take for a change of role. */
const TEMPLATE_MARK = /<(?=[|\uff5c]|\/?s>|<?\/?SYS>|(?:start|end)_of_turn>)|\[(?=\/?INST\])/gi;

/** Text that stays inside its block whatever it says. Undone by resolving its character references. */
export function escapeText(text: string): string {
  return text.toWellFormed().replace(IN_TEXT, reference);
}

export function escapeAttribute(text: string): string {
  return text.toWellFormed().replace(IN_ATTRIBUTE, reference);
}

/** Text of a message of its own: unchanged but for marks that a chat template would obey. */
export function withoutTemplateMarks(text: string): string {
  return text.toWellFormed().replace(TEMPLATE_MARK, reference);
}

function reference(character: string): string {
  return NAMED[character] ?? `&#x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()};`;
}
