import type { RouteId, SessionId, SpeakerId, TurnId, WorkspaceId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Coverage } from "./outcome.js";
import { Postings } from "./postings.js";
import { firstOf, rank } from "./score.js";
import type { Terms } from "./terms.js";

/** One turn as the index knows it. */
export interface IndexedTurn {
  readonly id: TurnId;
  readonly sessionId: SessionId;
  readonly seq: number;
  readonly workspaceId: WorkspaceId;
  readonly routeId: RouteId;
  readonly speakerId: SpeakerId | null;
  readonly observedAt: Date;
  /** End of its life as evidence. Null: it isn't evidence and is never recalled. */
  readonly evidenceUntil: Date | null;
  readonly terms: Terms;
}

/** What the permit allows. A turn is eligible where its workspace and route are in it and its evidence clock runs. */
export interface RecallFilter {
  readonly workspace: WorkspaceId;
  readonly routes: ReadonlySet<RouteId>;
  readonly now: Date;
  /** Hits at most; 0 gives none. */
  readonly limit: number;
}

export interface Hit {
  readonly id: TurnId;
  /** Comparable within one search only. */
  readonly score: number;
  /** What the score is made of, by name. */
  readonly parts: Readonly<Record<string, number>>;
}

export interface SearchResult {
  /** Best first. */
  readonly hits: readonly Hit[];
  /** Eligible turns that matched; more than `hits` where the limit cut them. */
  readonly matched: number;
  readonly coverage: Coverage;
  /** "recent": the question had nothing to match by, so the hits are the newest eligible turns. */
  readonly fallback: "recent" | null;
}

/** Turns of one workspace and route: what is allowed or not as a whole. */
interface Shelf {
  readonly workspaceId: WorkspaceId;
  readonly routeId: RouteId;
  /** Turns that the cap left out. */
  leftOut: number;
}

interface Slot {
  readonly id: TurnId;
  readonly sessionId: SessionId;
  readonly seq: number;
  readonly speakerId: SpeakerId | null;
  readonly observedMs: number;
  readonly evidenceMs: number;
  readonly shelf: Shelf;
}

/** Bytes of a turn in memory beside its terms: measured, rounded up. */
const TURN_BYTES = 400;

/**
 * The search index of one subject, in memory.
 * INVARIANT: below the cap, a search equals one over an index that never held anything but the eligible turns.
 */
export class SubjectIndex {
  /** `subject.revision` up to which rows were taken in. Set by whoever catches the index up. */
  revision = 0;
  readonly #turnsMax: number;
  readonly #slotById = new Map<TurnId, number>();
  readonly #shelves = new Map<string, Shelf>();
  readonly #postings = new Postings();
  /** Null where the turn was removed; its postings go at the next tidying. */
  #slots: (Slot | null)[] = [];
  #lengths: number[] = [];
  /** The newest turn that the cap left out: older ones aren't taken in any more. */
  #horizon: Slot | null = null;

  constructor(turnsMax: number = LIMITS.indexTurnsMax) {
    this.#turnsMax = turnsMax;
  }

  /** Turns in the index. */
  get size(): number {
    return this.#slotById.size;
  }

  /** Estimate of the memory that it holds. */
  get bytes(): number {
    return this.#slots.length * TURN_BYTES + this.#postings.bytes;
  }

  /** Takes a turn in; one with a known id replaces the older. */
  add(turn: IndexedTurn): void {
    this.remove(turn.id);
    if (turn.evidenceUntil === null) return;
    const slot = this.#slotFor(turn, turn.evidenceUntil);
    if (this.#horizon !== null && newestFirst(this.#horizon, slot) < 0) {
      slot.shelf.leftOut += 1;
      return;
    }
    const at = this.#slots.push(slot) - 1;
    this.#lengths.push(turn.terms.length);
    this.#slotById.set(turn.id, at);
    this.#postings.add(at, turn.terms);
    if (this.size > this.#turnsMax) this.#leaveOutOldest();
  }

  /** True where it was there. It is out of every search at once; its terms leave memory with a later tidying or the index. */
  remove(id: TurnId): boolean {
    const at = this.#slotById.get(id);
    if (at === undefined) return false;
    this.#slots[at] = null;
    this.#slotById.delete(id);
    if (this.#slots.length - this.size > 32 + this.size / 8) this.#tidy();
    return true;
  }

  search(query: Terms, filter: RecallFilter): SearchResult {
    const { eligible, count, length } = this.#eligible(filter);
    const newest = (a: number, b: number): number => this.#compareSlots(a, b);
    const coverage = this.#coverage(filter, count);
    if (query.counts.size === 0) {
      const slots: number[] = [];
      eligible.forEach((is, slot) => is === 1 && slots.push(slot));
      const hits = firstOf(slots, filter.limit, newest).map((slot) => this.#hit(slot, 0, {}));
      return { hits, matched: count, coverage, fallback: "recent" };
    }
    const candidates = {
      eligible,
      eligibleCount: count,
      lengthMean: length / Math.max(1, count),
      lengths: this.#lengths,
      postings: this.#postings.find(query),
      newestFirst: newest,
    };
    const { best, matched } = rank(candidates, filter.limit, LIMITS.queryTermsMax);
    return {
      hits: best.map(({ slot, score, parts }) => this.#hit(slot, score, parts)),
      matched,
      coverage,
      fallback: null,
    };
  }

  #slotFor(turn: IndexedTurn, until: Date): Slot {
    const key = `${turn.workspaceId}/${turn.routeId}`;
    let shelf = this.#shelves.get(key);
    if (shelf === undefined) {
      shelf = { workspaceId: turn.workspaceId, routeId: turn.routeId, leftOut: 0 };
      this.#shelves.set(key, shelf);
    }
    const { id, sessionId, seq, speakerId } = turn;
    return {
      id,
      sessionId,
      seq,
      speakerId,
      observedMs: turn.observedAt.getTime(),
      evidenceMs: until.getTime(),
      shelf,
    };
  }

  #eligible(filter: RecallFilter): {
    readonly eligible: Uint8Array;
    readonly count: number;
    readonly length: number;
  } {
    const allowed = new Set(
      [...this.#shelves.values()].filter((shelf) => isAllowed(shelf, filter)),
    );
    const now = filter.now.getTime();
    const eligible = new Uint8Array(this.#slots.length);
    let count = 0;
    let length = 0;
    for (const [at, slot] of this.#slots.entries()) {
      if (slot === null || slot.evidenceMs <= now || !allowed.has(slot.shelf)) continue;
      eligible[at] = 1;
      count += 1;
      length += this.#lengths[at] ?? 0;
    }
    return { eligible, count, length };
  }

  #coverage(filter: RecallFilter, searched: number): Coverage {
    let leftOut = 0;
    for (const shelf of this.#shelves.values()) {
      if (isAllowed(shelf, filter)) leftOut += shelf.leftOut;
    }
    return { searched, of: searched + leftOut, capped: leftOut > 0, pending: 0 };
  }

  #hit(at: number, score: number, parts: Readonly<Record<string, number>>): Hit {
    const slot = this.#slots[at];
    // Unreachable: only eligible slots are ranked, and those hold a turn.
    if (slot === null || slot === undefined) throw new Error("an empty slot was ranked");
    return { id: slot.id, score, parts };
  }

  #compareSlots(a: number, b: number): number {
    const one = this.#slots[a];
    const other = this.#slots[b];
    return one && other ? newestFirst(one, other) : a - b;
  }

  /** Leaves out a sixteenth at once, so that a long history isn't sorted for each turn. */
  #leaveOutOldest(): void {
    const byAge = this.#slots.filter((slot) => slot !== null).sort(newestFirst);
    const kept = this.#turnsMax - Math.floor(this.#turnsMax / 16);
    for (const [at, slot] of byAge.entries()) {
      if (at < kept) continue;
      if (at === kept) this.#horizon = slot;
      slot.shelf.leftOut += 1;
      const place = this.#slotById.get(slot.id);
      if (place !== undefined) this.#slots[place] = null;
      this.#slotById.delete(slot.id);
    }
    this.#tidy();
  }

  /** Closes the gaps of removed turns and forgets their terms. */
  #tidy(): void {
    const places = new Int32Array(this.#slots.length).fill(-1);
    const slots: Slot[] = [];
    const lengths: number[] = [];
    for (const [at, slot] of this.#slots.entries()) {
      if (slot === null) continue;
      places[at] = slots.push(slot) - 1;
      lengths.push(this.#lengths[at] ?? 0);
      this.#slotById.set(slot.id, slots.length - 1);
    }
    this.#slots = slots;
    this.#lengths = lengths;
    this.#postings.move(places);
  }
}

function isAllowed(shelf: Shelf, filter: RecallFilter): boolean {
  return shelf.workspaceId === filter.workspace && filter.routes.has(shelf.routeId);
}

/** Negative where `a` is newer. Total: only one turn has an id. */
function newestFirst(a: Slot, b: Slot): number {
  return b.observedMs - a.observedMs || b.seq - a.seq || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}
