/** An observation as an archive has it. */
export interface KeptObservation {
  readonly dimension: string;
  readonly text: string;
  readonly basis: string;
  readonly turnIds: readonly string[];
  readonly quotes: readonly {
    readonly turn_id: string;
    readonly start: number;
    readonly end: number;
  }[];
}

/** What is kept of one person. */
export interface Kept {
  readonly observations: readonly KeptObservation[];
  /** Texts of turns, by id. */
  readonly texts: ReadonlyMap<string, string>;
}

/** True for an observation that quotes words of the turns that it cites; one in the person's own words has them all. */
export function isQuoted({ texts }: Kept): (observation: KeptObservation) => boolean {
  return ({ text, basis, turnIds, quotes }) => {
    const said = quotes.map(({ turn_id, start, end }) =>
      turnIds.includes(turn_id) ? (texts.get(turn_id)?.slice(start, end) ?? "") : "",
    );
    const isSaid = said.length > 0 && said.every((words) => words.trim() !== "");
    return isSaid && (basis !== "quoted" || said.some((words) => plain(words) === plain(text)));
  };
}

/** How many say what another one of their dimension says, or rest on the same words. */
export function repeated(observations: readonly KeptObservation[]): number {
  return observations.filter((one, at) =>
    observations
      .slice(0, at)
      .some((other) => one.dimension === other.dimension && isSame(one, other)),
  ).length;
}

function isSame(one: KeptObservation, other: KeptObservation): boolean {
  if (plain(one.text) === plain(other.text)) return true;
  return one.quotes.some((own) =>
    other.quotes.some(
      ({ turn_id, start, end }) => own.turn_id === turn_id && own.start < end && start < own.end,
    ),
  );
}

function plain(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
