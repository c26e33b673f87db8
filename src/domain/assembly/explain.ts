import type { ItemKind, Layer } from "./candidate.js";
import type { DroppedReason, KeptReason, Manifest } from "./pack.js";

export interface Explained {
  readonly kind: ItemKind;
  readonly layer: Layer;
  readonly source: readonly string[];
  readonly in: boolean;
  readonly tokens: number | null;
  readonly why: KeptReason | DroppedReason;
  /** The reason as a sentence. */
  readonly reason: string;
}

/** Says for each candidate of a stored pack why it is in or out. */
export function explainManifest(_manifest: Manifest): readonly Explained[] {
  return [];
}
