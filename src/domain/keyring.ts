import type { KeyId, SubjectId, TenantId } from "./ids.js";
import type { Ledger } from "./ledger.js";

/**
 * Where a sealed value stands. All of it is associated data of the cipher, so that a value moved to another
 * subject, tenant, table, column, row, session / run or version doesn't open.
 */
export interface Place {
  readonly table: string;
  readonly column: string;
  /** Primary key of the row within its subject. */
  readonly row: string;
  /** Session or run that the row belongs to, with whatever else of it must not change; `""` where there is nothing. */
  readonly within: string;
  /** Version of the row's value; 1 for rows that never change. */
  readonly version: number;
}

/** Which subject's key. */
export interface KeyOfSubject {
  readonly tenant: string;
  readonly subject: string;
  readonly keyId: string;
}

/** The keys of one subject, derived from its data key. Held in memory 60 s at most. */
export interface SubjectKey {
  readonly tenant: TenantId;
  readonly subject: SubjectId;
  readonly keyId: KeyId;
  /** Of the data key that seals: 1 at first, one more with each rotation. */
  readonly version: number;
  /** First bytes of what the versions before it sealed, as far as they are kept. */
  readonly olderHeads: readonly Uint8Array[];
  /** Encrypts with the content key. Throws `StaleKeyError` where it was taken from custody too long ago. */
  seal(place: Place, text: string): Uint8Array;
  /**
   * Decrypts, whichever version sealed it. Throws `IntegrityError` when the value doesn't belong to this place, and
   * `StaleKeyError` when a version sealed it that is newer than this key.
   */
  open(place: Place, sealed: Uint8Array): string;
  /** Encrypts search terms with the term key. */
  sealTerms(place: Place, terms: string): Uint8Array;
  openTerms(place: Place, sealed: Uint8Array): string;
  /** The same for what is derived from texts and isn't text: segments of the index, vectors. */
  sealIndex(place: Place, bytes: Uint8Array): Uint8Array;
  openIndex(place: Place, sealed: Uint8Array): Uint8Array;
  /** HMAC-SHA256 (32 bytes) under the subject's look-up key. */
  mac(purpose: string, text: string): Uint8Array;
}

/** The keys of one tenant. */
export interface TenantKey {
  readonly tenant: TenantId;
  seal(place: Place, text: string): Uint8Array;
  open(place: Place, sealed: Uint8Array): string;
  /** HMAC-SHA256 (32 bytes) under the tenant's look-up key. */
  mac(purpose: string, text: string): Uint8Array;
}

/** Custody of keys: the small store apart from the database. */
export interface Keyring {
  /** Makes and durably stores a data key, under an id chosen by the caller, before any row uses it. */
  createSubjectKey(tenant: TenantId, subject: SubjectId, keyId: KeyId): Promise<SubjectKey>;
  /** The live key, or null where it was destroyed or never made. */
  subjectKey(tenant: TenantId, subject: SubjectId, keyId: KeyId): Promise<SubjectKey | null>;
  /**
   * Gives the subject a new data key, durable when it resolves: from now on it seals, and those before it open what they
   * sealed. Null where the key was destroyed. Throws where too many versions are kept.
   */
  rotateSubjectKey(tenant: TenantId, subject: SubjectId, keyId: KeyId): Promise<SubjectKey | null>;
  /** Destroys the versions before that one for good. Nothing where the whole key was destroyed. Idempotent. */
  retireSubjectKey(
    tenant: TenantId,
    subject: SubjectId,
    keyId: KeyId,
    version: number,
  ): Promise<void>;
  /**
   * Drops what this process remembers of a key: the next one who asks gets it as custody has it then. A version that was met
   * and that custody doesn't have then was never made: what names it is broken.
   */
  refreshSubjectKey(name: KeyOfSubject, met?: number | null): void;
  /** Destroys the key, all its versions, for good: what it sealed can't be opened by anybody any more. Idempotent. */
  destroySubjectKey(tenant: TenantId, subject: SubjectId, keyId: KeyId): Promise<void>;
  /** Makes and durably stores the tenant's key unless it has one (safe under races, across processes). */
  createTenantKey(tenant: TenantId): Promise<TenantKey>;
  /** The tenant's key. INVARIANT: never makes one, since nothing of the tenant would be found under a new key. */
  tenantKey(tenant: TenantId): Promise<TenantKey>;
  /** What was erased, in order: beside the keys, outside of the database. */
  readonly ledger: Ledger;
  /** True where no key was ever made in it. */
  isEmpty(): Promise<boolean>;
  /** Stable id of this custody store; the database remembers it and refuses a foreign one. */
  readonly custodyId: string;
  close(): Promise<void>;
}

/** A sealed value that doesn't open where it stands. Raised to the operator, never shown to a caller. */
export class IntegrityError extends Error {
  readonly place: Place;

  constructor(place: Place) {
    super(`sealed value of ${place.table}.${place.column} doesn't open in its place`);
    this.name = "IntegrityError";
    this.place = place;
  }
}

/** A subject's key that was taken from custody too long ago: before a newer version that it meets, or too long to seal with. */
export class StaleKeyError extends Error {
  readonly key: KeyOfSubject;
  /** The newer version that was met; null where the key is too old to seal. */
  readonly met: number | null;

  constructor(key: KeyOfSubject, met: number | null = null) {
    super("a data key was taken from custody too long ago");
    this.name = "StaleKeyError";
    this.key = key;
    this.met = met;
  }
}
