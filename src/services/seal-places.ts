import type { Place } from "../domain/keyring.js";
import type { SealedRow } from "../storage/reseal/reseal-text.js";
import type { SealedTableName } from "../storage/reseal/sealed-tables.js";
import { SUBJECT_CODECS } from "./archive/subject-codecs.js";
import { episodeTermsPlace } from "./episode-writing.js";
import { replyPlace } from "./idempotency.js";
import { observationTermsPlace } from "./observation-writing.js";
import { segmentPlace } from "./segment-place.js";
import { externalPlace } from "./subjects.js";
import { termsPlace } from "./turn-writing.js";
import { vectorPlace } from "./vector-place.js";
import { viewPlace } from "./view-place.js";

type Places = Readonly<Record<string, Place>>;

// Rows come by their columns' names: the casts below say no more than the tables' descriptions do.

/** Places of what doesn't travel in an archive. */
const UNARCHIVED: Readonly<Partial<Record<SealedTableName, (row: SealedRow) => Places>>> = {
  turn: ({ turn_id, session_id }) => ({
    terms_sealed: termsPlace(...([turn_id, session_id] as Parameters<typeof termsPlace>)),
  }),
  episode: ({ episode_id, session_id }) => ({
    terms_sealed: episodeTermsPlace(
      ...([episode_id, session_id] as Parameters<typeof episodeTermsPlace>),
    ),
  }),
  observation: ({ observation_id, session_id }) => ({
    terms_sealed: observationTermsPlace(
      ...([observation_id, session_id] as Parameters<typeof observationTermsPlace>),
    ),
  }),
  vector: ({ turn_id, model }) => ({
    sealed: vectorPlace(...([turn_id, model] as Parameters<typeof vectorPlace>)),
  }),
  segment: (row) => ({
    sealed: segmentPlace({
      segmentId: row.segment_id,
      analyser: row.analyser,
      afterRevision: row.after_revision,
      uptoRevision: row.upto_revision,
      purgeRevision: row.purge_revision,
    } as Parameters<typeof segmentPlace>[0]),
  }),
  view: ({ workspace_id, view_id, version }) => ({
    body_sealed: viewPlace(...([workspace_id, view_id, version] as Parameters<typeof viewPlace>)),
  }),
  external_id: ({ kind, lookup, internal_id }) => ({
    sealed: externalPlace(...([kind, lookup, internal_id] as Parameters<typeof externalPlace>)),
  }),
  idempotency: ({ principal_ref, operation, key_mac }) => ({
    reply_sealed: replyPlace(
      ...([principal_ref, operation, key_mac] as Parameters<typeof replyPlace>),
    ),
  }),
};

/** Where each sealed column of a row stands. */
export function placesOf(table: SealedTableName, row: SealedRow): Places {
  const archived = SUBJECT_CODECS.find((codec) => codec.table.table === table);
  return { ...archived?.places(row), ...UNARCHIVED[table]?.(row) };
}
