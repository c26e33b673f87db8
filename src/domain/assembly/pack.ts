import type { ItemKind, Layer } from "./candidate.js";

/** Why a candidate is in a pack. */
export type KeptReason = "required" | "fits";
/** Why a candidate isn't. */
export type DroppedReason =
  | "over_cap"
  | "call_without_result"
  | "result_without_call"
  | "already_a_turn"
  | "outgrown";

/** One line of a pack. */
export interface PackItem {
  readonly kind: ItemKind;
  readonly layer: Layer;
  /** Ids of the rows that it comes from: a turn id, `<kind>:<key>` of the run's working memory, the promotion of a field,
   * or the observations and events that a part of a view rests on. */
  readonly source: readonly string[];
  /** The text as it was kept (well-formed, otherwise unchanged). Data, never instructions. */
  readonly text: string;
  /** Tokens of its rendered block, marks included. */
  readonly tokens: number;
  /** Short name for people, such as `turn:12 user Jane 2026-03-01T09:30Z`. */
  readonly label: string;
}

/** One candidate that the pack doesn't hold. */
export interface LeftOut {
  readonly kind: ItemKind;
  readonly layer: Layer;
  readonly source: readonly string[];
  readonly why: DroppedReason;
}

export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message as chat APIs take it. Only the first has system authority, and it holds our own words alone. */
export type ChatMessage =
  | { readonly role: "system" | "user" | "assistant"; readonly content: string }
  | { readonly role: "assistant"; readonly content: null; readonly tool_calls: readonly ToolCall[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** What is stored of a pack's lines: references and reasons, no text. */
export interface ManifestEntry {
  readonly kind: ItemKind;
  readonly layer: Layer;
  readonly source: readonly string[];
  /** Tokens of the block; null for what was left out. */
  readonly tokens: number | null;
  readonly why: KeptReason | DroppedReason;
}

export interface Manifest {
  readonly version: 1;
  /** In the order of the pack, then what was left out. */
  readonly entries: readonly ManifestEntry[];
}

/** One assembled context in its three forms, and what is stored of it. */
export interface Pack {
  readonly items: readonly PackItem[];
  readonly left_out: readonly LeftOut[];
  /** Tokens of `text`, never above `tokens_max`. */
  readonly tokens: number;
  readonly tokens_max: number;
  /** The pack as one text: a heading, then one escaped and labelled block an item. Empty where nothing was kept. */
  readonly text: string;
  readonly messages: readonly ChatMessage[];
  readonly manifest: Manifest;
}
