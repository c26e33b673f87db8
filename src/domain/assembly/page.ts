import { type Line, renderBlock, renderHeading } from "./line.js";

interface Block {
  readonly text: string;
  readonly tokens: number;
}

/** Renders and measures lines. INVARIANT: each block is rendered once and counted once, and only when it is asked for. */
export class Page {
  readonly heading: string;
  readonly headingTokens: number;
  readonly #nonce: string;
  readonly #countTokens: (text: string) => number;
  readonly #blocks = new Map<Line, Block>();

  constructor(nonce: string, countTokens: (text: string) => number) {
    this.#nonce = nonce;
    this.#countTokens = countTokens;
    this.heading = renderHeading(nonce);
    this.headingTokens = countTokens(this.heading);
  }

  textOf(line: Line): string {
    return this.#blockOf(line).text;
  }

  tokensOf(line: Line): number {
    return this.#blockOf(line).tokens;
  }

  /** The whole text. Without lines there is nothing to head. */
  render(lines: readonly Line[]): string {
    return lines.length === 0 ? "" : this.heading + lines.map((line) => this.textOf(line)).join("");
  }

  #blockOf(line: Line): Block {
    const known = this.#blocks.get(line);
    if (known !== undefined) return known;
    const text = renderBlock(this.#nonce, line);
    const block = { text, tokens: this.#countTokens(text) };
    this.#blocks.set(line, block);
    return block;
  }
}
