import type { AssembleReply } from "../../services/assemble.js";
import type { EraseSubjectReply } from "../../services/erase-subject.js";
import type { FiledReply } from "../../services/filing.js";
import type { Actor, Cast, JournalEntry } from "./cast.js";
import { claim } from "./claim.js";

/** What the steps hand on to each other. */
export interface Facts {
  /** What Jane said before the story begins. */
  history: readonly {
    readonly text: string;
    readonly speaker?: string;
    readonly observed_at: string;
  }[];
  /** Version of the fee route that the run is pinned to. */
  version: number;
  run: string;
  /** The run's own agent. */
  agent: Actor;
  /** The pack below the route's own cap. */
  whole: AssembleReply;
  /** The pack that is printed. */
  pack: AssembleReply;
  /** The payment run that Jane's first chat went over to. */
  payment: string;
  /** What the agent proposed. */
  candidate: FiledReply;
  /** What a customer was given who left. */
  receipt: EraseSubjectReply;
  /** The decision that made it a fact. */
  promotion: string;
}

/** The story while it is told. */
export interface Scene {
  readonly cast: Cast;
  readonly journal: readonly JournalEntry[];
  readonly sessionA: string;
  readonly sessionB: string;
  readonly facts: Partial<Facts>;
}

export interface Told {
  readonly detail: string;
  /** More for people, in blocks of lines. */
  readonly show?: readonly string[];
}

export interface Step {
  readonly name: string;
  /** Checks what it claims: what doesn't hold is thrown. */
  readonly tell: (scene: Scene) => Promise<Told>;
}

export function fact<K extends keyof Facts>(scene: Scene, name: K): Facts[K] {
  const known = scene.facts[name];
  claim(known !== undefined, "an earlier step got as far as this one needs");
  return known;
}
