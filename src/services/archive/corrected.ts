import type { DimensionId, ObservationId } from "../../domain/ids.js";
import {
  type KnownObservation,
  type ObservationBody,
  type ObservationTier,
  supersessions,
} from "../../domain/observation.js";
import type { ArchivedRow } from "../../storage/archive/archived-table.js";
import type { OpenObservation, SealedObservation } from "../observation-reading.js";

type Correctable = Omit<KnownObservation, "supersededBy"> & {
  readonly place: string;
  readonly supersedes: ObservationId | null;
};

/**
 * What an observation of an archive may correct: what stands here, and what came before it in the file. By the ids that they
 * have here.
 */
export class Corrected {
  readonly #idOf: (id: string) => string;
  readonly #workspaces: ReadonlyMap<string, string>;
  readonly #byId: Map<string, Correctable>;

  constructor(
    standing: readonly OpenObservation<SealedObservation>[],
    workspaces: ReadonlyMap<string, string>,
    idOf: (id: string) => string,
  ) {
    this.#idOf = idOf;
    this.#workspaces = workspaces;
    this.#byId = new Map(standing.map((one) => [one.row.observationId, ofRow(one)]));
  }

  /** A line that was checked, for those behind it. What stands goes before what a line says of it. */
  add(line: ArchivedRow): void {
    const id = this.#idOf(line.observation_id as string) as ObservationId;
    if (this.#byId.has(id)) return;
    const { text, quotes, said } = line.body as ObservationBody;
    this.#byId.set(id, {
      id,
      place: this.#placeOf(line),
      dimension: line.dimension_id as DimensionId,
      text,
      quotes: quotes.map((quote) => ({
        ...quote,
        turn_id: this.#idOf(quote.turn_id) as typeof quote.turn_id,
      })),
      ...(said === undefined ? {} : { said }),
      tier: line.tier as ObservationTier,
      isSafety: line.is_safety as boolean,
      observedAt: line.observed_at as Date,
      supersedes: this.#supersededBy(line),
    });
  }

  /** What a line says it corrects and what that corrected before, newest first; nothing where it isn't of the same route. */
  of(line: ArchivedRow): readonly KnownObservation[] {
    const place = this.#placeOf(line);
    const chain = new Set<Correctable>();
    for (
      let one = this.#byId.get(this.#supersededBy(line) ?? "");
      one !== undefined && one.place === place && !chain.has(one);
      one = this.#byId.get(one.supersedes ?? "")
    )
      chain.add(one);
    const by = supersessions([...chain].map(({ id, ...one }) => ({ ...one, observationId: id })));
    return [...chain].map((one) => ({ ...one, supersededBy: by.get(one.id) ?? null }));
  }

  #supersededBy({ supersedes }: ArchivedRow): ObservationId | null {
    return supersedes === null ? null : (this.#idOf(supersedes as string) as ObservationId);
  }

  #placeOf({ workspace, route_id }: ArchivedRow): string {
    return `${this.#workspaces.get(workspace as string)}/${route_id as string}`;
  }
}

function ofRow({ row, body }: OpenObservation<SealedObservation>): Correctable {
  const { text, quotes, said } = body;
  return {
    id: row.observationId,
    place: `${row.workspaceId}/${row.routeId}`,
    dimension: row.dimensionId,
    text,
    quotes,
    ...(said === undefined ? {} : { said }),
    tier: row.tier,
    isSafety: row.isSafety,
    observedAt: row.observedAt,
    supersedes: row.supersedes,
  };
}
