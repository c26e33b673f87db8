import type { Candidates } from "./candidate.js";
import { type Kept, keepWithin } from "./cap.js";
import type { Line } from "./line.js";
import { toMessages } from "./messages.js";
import type { DroppedReason, LeftOut, Pack, PackItem } from "./pack.js";
import { Page } from "./page.js";
import { inPackOrder, isRequired, type Prepared, prepare, toWanted } from "./prepare.js";

/** Number of tokens of a text. */
export type CountTokens = (text: string) => number;

export interface AssembleOptions {
  /** Cap of the rendered text in tokens, heading and block marks included. */
  readonly tokensMax: number;
  readonly countTokens: CountTokens;
  /** Marks the run's blocks: `blockNonce(runId)`. */
  readonly nonce: string;
}

/**
 * Puts what a run may remember into one pack, never above the cap. Overflow drops, in this order: scratch refs, older
 * turns in whole units, recalled turns of low score, the newest turn, older notes, older questions, the person's model, current
 * values, what the model says about safety; nothing else.
 * Throws `cap_too_small` where what may not be dropped is above the cap.
 */
export function assemble(candidates: Candidates, options: AssembleOptions): Pack {
  const prepared = prepare(candidates);
  const page = new Page(options.nonce, options.countTokens);
  const all = inPackOrder(prepared);
  const fitted = fitLines(prepared, all, page, options);
  const lines = all.filter((line) => fitted.kept.has(line));
  const items = lines.map((line) => toItem(line, page));
  const dropped = all.filter((line) => !fitted.kept.has(line));
  const leftOut = [
    ...prepared.orphans,
    ...dropped.map((line) =>
      toLeftOut(line, fitted.twice.has(line) ? "already_a_turn" : "over_cap"),
    ),
  ];
  return {
    items,
    left_out: leftOut,
    tokens: fitted.tokens,
    tokens_max: options.tokensMax,
    text: page.render(lines),
    messages: toMessages(page, lines),
    manifest: {
      version: 1,
      entries: [
        ...items.map(({ kind, layer, source, tokens }) => {
          return {
            kind,
            layer,
            source,
            tokens,
            why: isRequired(kind) ? "required" : "fits",
          } as const;
        }),
        ...leftOut.map((out) => ({ ...out, tokens: null })),
      ],
    },
  };
}

interface Fitted extends Kept {
  /** What was recalled, or made of turns, that the pack holds as turns of the conversation. */
  readonly twice: ReadonlySet<Line>;
}

/**
 * Fits, then looks at the whole. Both corrections only take away, so it ends: what was recalled, or made, of a turn that
 * stands among the turns, and the tokens by which the whole text is above the cap.
 */
function fitLines(
  prepared: Prepared,
  all: readonly Line[],
  page: Page,
  options: AssembleOptions,
): Fitted {
  const twice = new Set<Line>();
  let tokensMax = options.tokensMax;
  for (;;) {
    const within = keepWithin(toWanted(prepared, twice), tokensMax, page);
    const lines = all.filter((line) => within.kept.has(line));
    const turns = new Set(
      lines.filter((line) => line.kind === "turn").flatMap((line) => line.source),
    );
    const again = lines.filter(
      (line) => isRecalled(line) && line.source.some((id) => turns.has(id)),
    );
    for (const line of again) twice.add(line);
    if (again.length > 0) continue;
    const excess = excessOf(lines, within.tokens, page, options);
    if (excess <= 0) return { ...within, twice };
    tokensMax -= excess;
  }
}

function isRecalled({ kind }: Line): boolean {
  return kind === "recalled" || kind === "observation";
}

/**
 * Tokens of the whole text above the cap. Blocks begin and end where the tokenizer splits, so the sum of their counts
 * is the count of the text; it is counted whole where two tokens more a block would pass the cap, in case another
 * tokenizer joins them.
 */
function excessOf(
  lines: readonly Line[],
  tokens: number,
  page: Page,
  options: AssembleOptions,
): number {
  if (lines.length === 0 || tokens + 2 * lines.length < options.tokensMax) return 0;
  return options.countTokens(page.render(lines)) - options.tokensMax;
}

function toItem(line: Line, page: Page): PackItem {
  const { kind, layer, source, text, label } = line;
  return { kind, layer, source, text, tokens: page.tokensOf(line), label };
}

function toLeftOut({ kind, layer, source }: Line, why: DroppedReason): LeftOut {
  return { kind, layer, source, why };
}
