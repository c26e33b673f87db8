/** Bounds of recall by meaning: part of `LIMITS`. */
export const VECTOR_LIMITS = {
  /** Turns that one transaction gives vectors: a small model embeds as many in a second or two. */
  embedTurnsMax: 64,
  /** Turns of a tenant that one background step embeds; the next one goes on. */
  embeddedAtOnceMax: 10_000,
  /** Milliseconds that one request to an embedding endpoint may take. */
  embedRequestMsMax: 30_000,
  /** Milliseconds that a batch of turns may take to be embedded, with its repetitions. */
  embedMsMax: 120_000,
  /** Milliseconds that a recall waits for its question's vector; then words alone decide. */
  questionEmbedMsMax: 2_000,
  /** Vectors that one recall takes into an index; the next one goes on. */
  vectorsAtOnceMax: 20_000,
} as const;
