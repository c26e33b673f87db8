import { SUBJECT_TABLES } from "../../storage/archive/tables.js";
import type { Codec } from "./codec.js";
import { EVENT_CODEC } from "./event-codec.js";
import { MEMORY_CODECS } from "./memory-codecs.js";
import { RUN_CODECS } from "./run-codecs.js";
import { STORE_CODECS } from "./store-codecs.js";

/** A subject's kinds of lines, in the order in which they travel. */
export const SUBJECT_CODECS: readonly Codec[] = SUBJECT_TABLES.flatMap((table) =>
  [...RUN_CODECS, ...MEMORY_CODECS, EVENT_CODEC, ...STORE_CODECS].filter(
    (codec) => codec.table === table,
  ),
);

export function codecOf(kind: string): Codec | undefined {
  return SUBJECT_CODECS.find((codec) => codec.kind === kind);
}
