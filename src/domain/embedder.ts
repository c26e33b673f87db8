/** Turns texts into vectors that stand close together where the texts mean alike. An option: recall works without one. */
export interface Embedder {
  /** Stands on each vector. Those of another model are never compared. */
  readonly model: string;
  /** The one language that it reads; null where it reads any. */
  readonly language: string | null;
  /** Characters that it reads at once: a longer text comes in pieces. */
  readonly textCharsMax: number;
  /** A vector for each text, in their order. Rejects where it can't; it has tried again by then. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}
