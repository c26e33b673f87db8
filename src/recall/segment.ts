import { assert } from "../domain/errors.js";
import type { RouteId, SessionId, SpeakerId, TurnId, WorkspaceId } from "../domain/ids.js";
import { Block, posting } from "./block.js";
import type { IndexedTurn } from "./indexed-turn.js";
import { Numbering } from "./numbering.js";
import type { TabledTurn } from "./tabled-turn.js";
import { hashTerm } from "./term-hash.js";

/** Turns of a stretch of the subject's revisions, with their terms packed. Written once, and then only opened. */
export interface Segment {
  readonly turns: readonly TabledTurn[];
  readonly block: Block;
}

/** A turn that is evidence: others are in no index. */
export type SegmentTurn = IndexedTurn & { readonly evidenceUntil: Date };

/** Form of the sealed bytes. Another one isn't read: the segment is made again. */
const FORMAT = 2;
const HEAD_BYTES = 4;

export function segmentOf(turns: readonly SegmentTurn[]): Segment {
  const lists = new Map<number, number[]>();
  for (const [place, { terms }] of turns.entries()) {
    for (const [at, term] of terms.list.entries()) {
      const hash = hashTerm(term);
      const one = posting(place, terms.counts[at] ?? 1);
      const list = lists.get(hash);
      if (list === undefined) lists.set(hash, [one]);
      else list.push(one);
    }
  }
  return {
    turns: turns.map(({ terms, ...turn }) => ({ ...turn, length: terms.length, said: terms.said })),
    block: Block.of(turns.length, lists),
  };
}

/** The turns by column: `shelf`, `session` and `speaker` are places in their lists of names, -1 is nobody. */
interface Head {
  readonly format: number;
  readonly shelves: readonly (readonly [workspace: WorkspaceId, route: RouteId])[];
  readonly sessions: readonly SessionId[];
  readonly speakers: readonly SpeakerId[];
  readonly id: readonly TurnId[];
  readonly shelf: readonly number[];
  readonly session: readonly number[];
  readonly speaker: readonly number[];
  readonly seq: readonly number[];
  readonly observed: readonly number[];
  readonly until: readonly number[];
  readonly length: readonly number[];
  readonly said: readonly number[];
}

/** The bytes to seal: length of the head, the head as JSON, the block. */
export function encodeSegment({ turns, block }: Segment): Uint8Array {
  const shelves = new Numbering<string>();
  const sessions = new Numbering<SessionId>();
  const speakers = new Numbering<SpeakerId>();
  const head: Omit<Head, "shelves" | "sessions" | "speakers"> = {
    format: FORMAT,
    id: turns.map(({ id }) => id),
    shelf: turns.map(({ workspaceId, routeId }) =>
      shelves.of(JSON.stringify([workspaceId, routeId])),
    ),
    session: turns.map(({ sessionId }) => sessions.of(sessionId)),
    speaker: turns.map(({ speakerId }) => (speakerId === null ? -1 : speakers.of(speakerId))),
    seq: turns.map(({ seq }) => seq),
    observed: turns.map(({ observedAt }) => observedAt.getTime()),
    until: turns.map(({ evidenceUntil }) => evidenceUntil.getTime()),
    length: turns.map(({ length }) => length),
    said: turns.map(({ said }) => said),
  };
  const named = {
    ...head,
    shelves: shelves.names.map((name) => JSON.parse(name)),
    sessions: sessions.names,
    speakers: speakers.names,
  };
  const text = new TextEncoder().encode(JSON.stringify(named));
  const packed = block.encode();
  const bytes = new Uint8Array(HEAD_BYTES + text.length + packed.length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, HEAD_BYTES);
  bytes.set(packed, HEAD_BYTES + text.length);
  return bytes;
}

/** Null where another form was sealed. The seal vouches for the rest: what doesn't fit together is a bug of ours. */
export function decodeSegment(bytes: Uint8Array): Segment | null {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const text = bytes.subarray(HEAD_BYTES, HEAD_BYTES + length);
  const head = JSON.parse(new TextDecoder().decode(text)) as Head;
  if (head.format !== FORMAT) return null;
  const block = Block.decode(bytes.subarray(HEAD_BYTES + length));
  assert(block.turns === head.id.length, "a segment has as many turns as its block");
  const turns = head.id.map((id, at) => turnOf(head, id, at));
  return { turns, block };
}

function turnOf(head: Head, id: TurnId, at: number): TabledTurn {
  const [workspaceId, routeId] = named(head.shelves, head.shelf[at]);
  const speaker = head.speaker[at] ?? -1;
  return {
    id,
    workspaceId,
    routeId,
    sessionId: named(head.sessions, head.session[at]),
    speakerId: speaker < 0 ? null : named(head.speakers, speaker),
    seq: head.seq[at] ?? 0,
    observedAt: new Date(head.observed[at] ?? 0),
    evidenceUntil: new Date(head.until[at] ?? 0),
    length: head.length[at] ?? 0,
    said: head.said[at] ?? 0,
  };
}

function named<T>(names: readonly T[], number: number | undefined): T {
  const name = names[number ?? -1];
  assert(name !== undefined, "a segment names each shelf, session and speaker that it counts");
  return name;
}
