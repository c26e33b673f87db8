import { must } from "../domain/errors.js";
import type { TurnId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import { namesNothing } from "./analyse.js";
import { shownParts } from "./conversation.js";
import type { Eligible } from "./eligible.js";
import type { IndexedTurn, PendingTurn, RecallFilter } from "./indexed-turn.js";
import { withPending } from "./outcome.js";
import { newestWithAll } from "./phrase.js";
import { Postings } from "./postings.js";
import { type Asked, newest, rank } from "./rank.js";
import type { Hit, SearchResult } from "./search-result.js";
import type { Searched } from "./searched.js";
import type { Segment } from "./segment.js";
import { languageIn } from "./spoken.js";
import { Stillness } from "./stillness.js";
import { NO_TERMS } from "./terms.js";
import { TurnTable } from "./turn-table.js";
import type { Vector } from "./vector.js";
import { VectorTable } from "./vector-table.js";

interface Scored {
  readonly slot: number;
  readonly score: number;
  readonly parts: Hit["parts"];
}

/**
 * The search index of one subject, in memory.
 * INVARIANT: below the cap, a search equals one over an index that never held anything but the eligible turns.
 */
export class SubjectIndex {
  /** `subject.revision` up to which rows were taken in. Set by whoever catches the index up. */
  revision = 0;
  /** True where the subject has more turns than were taken in. Set by whoever catches the index up. */
  truncated = false;
  /** Whether the subject is likely to stand at `revision` still. Told by whoever looks, or writes. */
  readonly stillness = new Stillness();
  /** The last vector that was taken in; null where there was none. Set by whoever takes them in. */
  embedded: { readonly revision: number; readonly turnId: TurnId } | null = null;
  readonly #turnsMax: number;
  readonly #turns = new TurnTable();
  readonly #postings = new Postings();
  readonly #vectors = new VectorTable();
  readonly #pending = new Map<TurnId, PendingTurn>();

  constructor(turnsMax: number = LIMITS.indexTurnsMax) {
    this.#turnsMax = turnsMax;
  }

  /** Turns in the index. */
  get size(): number {
    return this.#turns.size;
  }

  /** Estimate of the memory that it holds. */
  get bytes(): number {
    return this.#turns.bytes + this.#postings.bytes + this.#vectors.bytes;
  }

  /** Takes a turn in; one with a known id replaces the older. Above the cap the oldest are left out. */
  add(turn: IndexedTurn): void {
    const { id, terms, evidenceUntil } = turn;
    if (evidenceUntil === null) {
      this.remove(id);
      return;
    }
    this.#pending.delete(id);
    const isIn = this.#turns.put({
      ...turn,
      evidenceUntil,
      length: terms.length,
      said: terms.said,
    });
    this.#postings.add(isIn ? terms : NO_TERMS);
    this.#keepNewest();
  }

  /** Takes in a segment's turns, each in place of one with its id. */
  addSegment({ turns, block }: Segment): void {
    for (const turn of turns) {
      this.#pending.delete(turn.id);
      this.#turns.put(turn);
    }
    this.#postings.addBlock(block);
    this.#keepNewest();
    this.#tidyGaps();
  }

  /** Takes in what a turn means, in place of what it was thought to mean. */
  addVectors(id: TurnId, vectors: readonly Vector[]): void {
    if (this.#turns.has(id)) this.#vectors.put(id, vectors);
  }

  /** Counts a turn that can't be searched yet, in place of one with its id. */
  addPending({ id, workspaceId, routeId, evidenceUntil }: PendingTurn): void {
    this.remove(id);
    this.#pending.set(id, { id, workspaceId, routeId, evidenceUntil });
  }

  /** Lets go of turns that no recall reaches any more. Bounded work: a long history is gone through in several calls. */
  dropExpired(now: Date): void {
    this.#turns.dropExpired(now);
    for (const { id, evidenceUntil } of this.#pending.values())
      if (evidenceUntil === null || evidenceUntil <= now) this.#pending.delete(id);
    this.#tidyGaps();
  }

  /** True where it was there. It is out of every search at once; its terms leave memory with a later tidying or the index. */
  remove(id: TurnId): boolean {
    if (this.#pending.delete(id)) return true;
    if (!this.#turns.remove(id)) return false;
    this.#vectors.remove(id);
    this.#tidyGaps();
    return true;
  }

  /** When the first of the turns stops being evidence; null where there is none. */
  firstEnd(ids: readonly TurnId[]): Date | null {
    return this.#turns.firstEnd(ids);
  }

  search(asked: Asked, filter: RecallFilter): SearchResult {
    const eligible = this.#turns.eligible(filter);
    const coverage = withPending(
      this.#turns.coverage(filter, eligible.count),
      this.#pendingOf(filter),
    );
    const likeness = this.#likeness(asked.meaning ?? null, eligible);
    const searched = { eligible, turns: this.#turns, postings: this.#postings, likeness };
    if (namesNothing(asked.question)) {
      const hits = newest(searched, filter).map(({ item, repeats }) =>
        this.#hit(searched, { slot: item, score: 0, parts: {} }, repeats),
      );
      return { hits, coverage, fallback: "recent", fit: 1 };
    }
    if (asked.mode === "phrase") {
      const slots = newestWithAll(searched, asked.question, filter);
      return {
        hits: slots.map(({ item, repeats }) =>
          this.#hit(searched, { slot: item, score: 1, parts: { phrase: 1 } }, repeats),
        ),
        coverage,
        fallback: null,
        fit: 1,
      };
    }
    const { candidates, fit } = rank(searched, asked, filter);
    const hits = candidates.map(({ item, repeats }) =>
      this.#hit(searched, { ...item, parts: shownParts(item.parts) }, repeats),
    );
    return { hits, coverage, fallback: null, fit };
  }

  #likeness(meaning: Vector | null, { flags }: Eligible): Float64Array | null {
    if (meaning === null || this.#vectors.bytes === 0) return null;
    const likeness = new Float64Array(flags.length);
    for (const [slot, flag] of flags.entries()) {
      const id = flag === 1 ? this.#turns.id(slot) : null;
      if (id !== null) likeness[slot] = this.#vectors.likeness(id, meaning);
    }
    return likeness;
  }

  #hit(searched: Searched, { slot, score, parts }: Scored, repeats: number): Hit {
    const id = must(this.#turns.id(slot), "the turn of a ranked slot");
    return { id, score, parts, repeats, language: languageIn(searched, slot) };
  }

  #keepNewest(): void {
    if (this.size <= this.#turnsMax) return;
    // A sixteenth at once, so that a long history isn't sorted again for each turn.
    this.#turns.leaveOutOldest(this.#turnsMax - Math.floor(this.#turnsMax / 16));
    this.#tidy();
  }

  #pendingOf({ workspace, routes, now }: RecallFilter): number {
    let count = 0;
    for (const { workspaceId, routeId, evidenceUntil } of this.#pending.values()) {
      const isEvidence = evidenceUntil !== null && evidenceUntil > now;
      if (isEvidence && workspaceId === workspace && routes.has(routeId)) count += 1;
    }
    return count;
  }

  #tidyGaps(): void {
    if (this.#turns.gaps > 32 + this.size / 8) this.#tidy();
  }

  /** Forgets removed turns and the terms that only they had. */
  #tidy(): void {
    this.#postings.move(this.#turns.closeGaps());
    this.#vectors.keep((id) => this.#turns.has(id));
  }
}
