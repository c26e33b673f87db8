import type { SessionId, SpeakerId, TurnId } from "../domain/ids.js";
import { type Eligible, KeptEligible } from "./eligible.js";
import type { RecallFilter } from "./indexed-turn.js";
import { narrowing } from "./narrowing.js";
import { Numbering } from "./numbering.js";
import type { Coverage } from "./outcome.js";
import { SessionOrder } from "./session-order.js";
import { Shelves } from "./shelves.js";
import type { TabledTurn } from "./tabled-turn.js";
import { type Age, newestFirst } from "./turn-age.js";
import { noColumns, withoutGaps } from "./turn-columns.js";

/** Bytes of a turn in memory beside its terms: measured, rounded up. */
const TURN_BYTES = 250;

/** Slots that are looked at for expired turns at one time: tens of microseconds. */
const EXPIRY_SLOTS = 2_000;

/** The turns of a subject, each in a numbered slot. Knows which of them a permit reaches, and which are the newest. */
export class TurnTable {
  readonly #slotById = new Map<TurnId, number>();
  readonly #shelves = new Shelves();
  readonly #sessionNumbers = new Numbering<SessionId>();
  readonly #speakerNumbers = new Numbering<SpeakerId>();
  #columns = noColumns();
  #order = this.#newOrder();
  /** The newest turn that the cap left out: older ones aren't taken in any more. */
  #horizon: Age | null = null;
  readonly #eligible = new KeptEligible();
  /** Where the next look for expired turns begins. */
  #lookedUpTo = 0;

  get size(): number {
    return this.#slotById.size;
  }

  get slots(): number {
    return this.#columns.ids.length;
  }

  get gaps(): number {
    return this.slots - this.size;
  }

  get bytes(): number {
    return this.slots * TURN_BYTES;
  }

  /** Gives the turn the next slot, in place of one with its id. False where it is older than what the cap left out: then it is a gap. */
  put(turn: TabledTurn): boolean {
    this.remove(turn.id);
    this.#eligible.forget();
    const { id, seq } = turn;
    const observedMs = turn.observedAt.getTime();
    const shelf = this.#shelves.numberOf(turn);
    const isLeftOut =
      this.#horizon !== null && newestFirst(this.#horizon, { id, seq, observedMs }) < 0;
    const columns = this.#columns;
    if (isLeftOut) this.#shelves.leaveOut(shelf);
    else this.#slotById.set(id, columns.ids.length);
    columns.ids.push(isLeftOut ? null : id);
    columns.observedMs.push(observedMs);
    columns.evidenceMs.push(turn.evidenceUntil.getTime());
    columns.seqs.push(seq);
    columns.lengths.push(turn.length);
    columns.said.push(turn.said);
    columns.shelves.push(shelf);
    columns.sessions.push(this.#sessionNumbers.of(turn.sessionId));
    columns.speakers.push(turn.speakerId === null ? -1 : this.#speakerNumbers.of(turn.speakerId));
    if (!isLeftOut) this.#order.add(this.slots - 1, this.session(this.slots - 1));
    return !isLeftOut;
  }

  remove(id: TurnId): boolean {
    const slot = this.#slotById.get(id);
    if (slot === undefined) return false;
    this.#eligible.forget();
    this.#columns.ids[slot] = null;
    return this.#slotById.delete(id);
  }

  has(id: TurnId): boolean {
    return this.#slotById.has(id);
  }

  id(slot: number): TurnId | null {
    return this.#columns.ids[slot] ?? null;
  }

  length(slot: number): number {
    return this.#columns.lengths[slot] ?? 0;
  }

  /** The same for two turns that say the same in one voice. */
  said(slot: number): number {
    return this.#columns.said[slot] ?? 0;
  }

  /** Number of the turn's session, the same for all turns of one. */
  session(slot: number): number {
    return this.#columns.sessions[slot] ?? -1;
  }

  /** Sessions are numbered below this. */
  get sessions(): number {
    return this.#order.sessions;
  }

  /** The flagged turn right before this one in its session (`step` -1), or right behind it (1); -1 where there is none. */
  beside(slot: number, step: -1 | 1, flags: Uint8Array): number {
    return this.#order.beside(slot, this.session(slot), step, flags);
  }

  /** Number of the turn's speaker, -1 where nobody is named. */
  speaker(slot: number): number {
    return this.#columns.speakers[slot] ?? -1;
  }

  seq(slot: number): number {
    return this.#columns.seqs[slot] ?? 0;
  }

  observedMs(slot: number): number {
    return this.#columns.observedMs[slot] ?? 0;
  }

  /** When the first of the turns stops being evidence; null where there is none. */
  firstEnd(ids: readonly TurnId[]): Date | null {
    const ends = ids.flatMap((id) => this.#columns.evidenceMs[this.#slotById.get(id) ?? -1] ?? []);
    return ends.length === 0 ? null : new Date(Math.min(...ends));
  }

  /** Orders slots; never 0 for two turns. */
  readonly newestFirst = (a: number, b: number): number => {
    const age = this.observedMs(b) - this.observedMs(a) || this.seq(b) - this.seq(a);
    return age || ((this.id(a) ?? "") < (this.id(b) ?? "") ? 1 : -1);
  };

  /** The turns that a search may touch. */
  eligible(filter: RecallFilter): Eligible {
    return this.#eligible.of(this.#columns, {
      shelves: this.#shelves.allowed(filter),
      nowMs: filter.now.getTime(),
      isAskedFor: narrowing(filter, this.#sessionNumbers),
    });
  }

  coverage(filter: RecallFilter, searched: number): Coverage {
    const leftOut = this.#shelves.leftOut(filter);
    return { searched, of: searched + leftOut, capped: leftOut > 0, pending: 0 };
  }

  /** Removes all but the newest `kept` turns. */
  leaveOutOldest(kept: number): void {
    const oldest = [...this.#slotById.values()].sort(this.newestFirst).slice(kept);
    const [newest = -1] = oldest;
    const id = this.id(newest);
    if (id !== null)
      this.#horizon = { id, observedMs: this.observedMs(newest), seq: this.seq(newest) };
    for (const slot of oldest) {
      this.#shelves.leaveOut(this.#columns.shelves[slot]);
      this.#removeSlot(slot);
    }
  }

  /** Removes turns that are past their evidence clock. Looks at some of the slots, the next call at the next ones. */
  dropExpired(now: Date): void {
    const from = this.#lookedUpTo < this.slots ? this.#lookedUpTo : 0;
    const to = Math.min(this.slots, from + EXPIRY_SLOTS);
    this.#lookedUpTo = from + EXPIRY_SLOTS;
    const { evidenceMs } = this.#columns;
    for (let slot = from; slot < to; slot += 1)
      if ((evidenceMs[slot] ?? 0) <= now.getTime()) this.#removeSlot(slot);
  }

  /** Moves the turns together. Gives each old slot's new one, -1 for a gap. */
  closeGaps(): Int32Array {
    this.#eligible.forget();
    const places = new Int32Array(this.slots).fill(-1);
    let next = 0;
    for (const [slot, id] of this.#columns.ids.entries()) {
      if (id === null) continue;
      places[slot] = next;
      this.#slotById.set(id, next++);
    }
    this.#columns = withoutGaps(this.#columns);
    this.#order = this.#newOrder();
    for (const [slot, session] of this.#columns.sessions.entries()) this.#order.add(slot, session);
    return places;
  }

  #newOrder(): SessionOrder {
    return new SessionOrder((a, b) => this.seq(a) - this.seq(b) || this.newestFirst(b, a));
  }

  #removeSlot(slot: number): void {
    const id = this.id(slot);
    if (id !== null) this.remove(id);
  }
}
