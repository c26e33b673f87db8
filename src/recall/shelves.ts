import type { RouteId, WorkspaceId } from "../domain/ids.js";
import type { RecallFilter } from "./indexed-turn.js";
import { Numbering } from "./numbering.js";

/** Turns of one workspace and route: allowed or not as a whole. */
interface Shelf {
  readonly workspaceId: WorkspaceId;
  readonly routeId: RouteId;
  /** Turns that the cap left out. */
  leftOut: number;
}

/** The shelves of a subject, numbered. */
export class Shelves {
  readonly #shelves: Shelf[] = [];
  readonly #numbers = new Numbering<string>();

  numberOf({ workspaceId, routeId }: Pick<Shelf, "workspaceId" | "routeId">): number {
    const number = this.#numbers.of(`${workspaceId}/${routeId}`);
    this.#shelves[number] ??= { workspaceId, routeId, leftOut: 0 };
    return number;
  }

  leaveOut(number: number | undefined): void {
    const shelf = this.#shelves[number ?? -1];
    if (shelf !== undefined) shelf.leftOut += 1;
  }

  /** By number, whether the filter reaches it. */
  allowed(filter: RecallFilter): readonly boolean[] {
    return this.#shelves.map((shelf) => isAllowed(shelf, filter));
  }

  /** Turns that the cap left out of what the filter reaches. */
  leftOut(filter: RecallFilter): number {
    return this.#shelves
      .filter((shelf) => isAllowed(shelf, filter))
      .reduce((total, shelf) => total + shelf.leftOut, 0);
  }
}

function isAllowed({ workspaceId, routeId }: Shelf, { workspace, routes }: RecallFilter): boolean {
  return workspaceId === workspace && routes.has(routeId);
}
