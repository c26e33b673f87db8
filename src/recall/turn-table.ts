import type { RouteId, SessionId, SpeakerId, TurnId, WorkspaceId } from "../domain/ids.js";
import type { IndexedTurn, RecallFilter } from "./indexed-turn.js";
import type { Coverage } from "./outcome.js";

/** Bytes of a turn in memory beside its terms: measured, rounded up. */
const TURN_BYTES = 400;

/** Slots that are looked at for expired turns at one time: tens of microseconds. */
const EXPIRY_SLOTS = 2_000;

/** Turns of one workspace and route: allowed or not as a whole. */
interface Shelf {
  readonly workspaceId: WorkspaceId;
  readonly routeId: RouteId;
  /** Turns that the cap left out. */
  leftOut: number;
}

interface Row {
  readonly id: TurnId;
  readonly sessionId: SessionId;
  readonly seq: number;
  readonly speakerId: SpeakerId | null;
  readonly observedMs: number;
  readonly evidenceMs: number;
  readonly length: number;
  readonly shelf: Shelf;
}

export interface Eligible {
  /** 1 in the slots of turns that may be recalled. */
  readonly flags: Uint8Array;
  readonly count: number;
  /** Mean length in terms; 1 where there are none. */
  readonly lengthMean: number;
}

/** The turns of a subject, each in a numbered slot. Knows which of them a permit reaches, and which are the newest. */
export class TurnTable {
  readonly #slotById = new Map<TurnId, number>();
  readonly #shelves = new Map<string, Shelf>();
  /** Null where a turn was removed. */
  #rows: (Row | null)[] = [];
  /** The newest turn that the cap left out: older ones aren't taken in any more. */
  #horizon: Row | null = null;
  /** Where the next look for expired turns begins. */
  #lookedUpTo = 0;

  get size(): number {
    return this.#slotById.size;
  }

  get gaps(): number {
    return this.#rows.length - this.#slotById.size;
  }

  get bytes(): number {
    return this.#rows.length * TURN_BYTES;
  }

  /** The new turn's slot, or null where it is older than what the cap left out. */
  put(turn: IndexedTurn, evidenceUntil: Date): number | null {
    const row = this.#row(turn, evidenceUntil);
    if (this.#horizon !== null && newestFirst(this.#horizon, row) < 0) {
      row.shelf.leftOut += 1;
      return null;
    }
    const slot = this.#rows.push(row) - 1;
    this.#slotById.set(row.id, slot);
    return slot;
  }

  remove(id: TurnId): boolean {
    const slot = this.#slotById.get(id);
    if (slot === undefined) return false;
    this.#rows[slot] = null;
    return this.#slotById.delete(id);
  }

  id(slot: number): TurnId | undefined {
    return this.#rows[slot]?.id;
  }

  length(slot: number): number {
    return this.#rows[slot]?.length ?? 0;
  }

  /** Orders slots; never 0 for two turns. */
  readonly newestFirst = (a: number, b: number): number => {
    const one = this.#rows[a];
    const other = this.#rows[b];
    return one && other ? newestFirst(one, other) : a - b;
  };

  /** INVARIANT: the one place that decides which turns a search may touch. */
  eligible(filter: RecallFilter): Eligible {
    const allowed = new Set(this.#allowed(filter));
    const now = filter.now.getTime();
    const flags = new Uint8Array(this.#rows.length);
    let count = 0;
    let length = 0;
    for (let slot = 0; slot < flags.length; slot += 1) {
      const row = this.#rows[slot];
      if (!row || row.evidenceMs <= now || !allowed.has(row.shelf)) continue;
      flags[slot] = 1;
      count += 1;
      length += row.length;
    }
    return { flags, count, lengthMean: length > 0 ? length / count : 1 };
  }

  coverage(filter: RecallFilter, searched: number): Coverage {
    const leftOut = this.#allowed(filter).reduce((total, shelf) => total + shelf.leftOut, 0);
    return { searched, of: searched + leftOut, capped: leftOut > 0, pending: 0 };
  }

  /** Removes all but the newest `kept` turns. */
  leaveOutOldest(kept: number): void {
    const oldest = this.#rows
      .filter((row) => row !== null)
      .sort(newestFirst)
      .slice(kept);
    this.#horizon = oldest[0] ?? this.#horizon;
    for (const row of oldest) {
      row.shelf.leftOut += 1;
      this.remove(row.id);
    }
  }

  /** Removes turns that are past their evidence clock. Looks at some of the slots, the next call at the next ones. */
  dropExpired(now: Date): void {
    const count = this.#rows.length;
    const from = this.#lookedUpTo < count ? this.#lookedUpTo : 0;
    this.#lookedUpTo = from + EXPIRY_SLOTS;
    for (const row of this.#rows.slice(from, this.#lookedUpTo)) {
      if (row !== null && row.evidenceMs <= now.getTime()) this.remove(row.id);
    }
  }

  /** Moves the turns together. Gives each old slot's new one, -1 for a gap. */
  closeGaps(): Int32Array {
    const places = new Int32Array(this.#rows.length).fill(-1);
    const rows: Row[] = [];
    for (const [slot, row] of this.#rows.entries()) {
      if (row === null) continue;
      places[slot] = rows.push(row) - 1;
      this.#slotById.set(row.id, rows.length - 1);
    }
    this.#rows = rows;
    return places;
  }

  #allowed(filter: RecallFilter): readonly Shelf[] {
    return [...this.#shelves.values()].filter(
      (shelf) => shelf.workspaceId === filter.workspace && filter.routes.has(shelf.routeId),
    );
  }

  #row(turn: IndexedTurn, evidenceUntil: Date): Row {
    const { id, sessionId, seq, speakerId, workspaceId, routeId } = turn;
    const key = `${workspaceId}/${routeId}`;
    const shelf = this.#shelves.get(key) ?? { workspaceId, routeId, leftOut: 0 };
    this.#shelves.set(key, shelf);
    const observedMs = turn.observedAt.getTime();
    const evidenceMs = evidenceUntil.getTime();
    return {
      id,
      sessionId,
      seq,
      speakerId,
      observedMs,
      evidenceMs,
      length: turn.terms.length,
      shelf,
    };
  }
}

function newestFirst(a: Row, b: Row): number {
  return b.observedMs - a.observedMs || b.seq - a.seq || (a.id < b.id ? 1 : -1);
}
