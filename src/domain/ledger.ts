import type { ErasureBasis, ErasureReason, ErasureScopeKind } from "./erasure.js";
import type { ErasureId, KeyId, SubjectId, TenantId } from "./ids.js";

/**
 * `intent` is durable before the database changes, `closed` after the key is gone; a hold is kept like an erasure, and so is that a
 * subject got a new data key. */
export const LEDGER_STEPS = ["intent", "closed", "hold", "release", "rotation"] as const;
export type LedgerStep = (typeof LEDGER_STEPS)[number];

/** A request by its HMAC under the tenant's key, base64. */
export interface ForgottenRequest {
  readonly mac: string;
  /** Until when a repeat is refused. */
  readonly until: Date;
}

/** One line of the ledger as it is handed in. INVARIANT: nothing of it is content, or an external id. */
export interface LedgerLine {
  readonly step: LedgerStep;
  /** Of the erasure or hold: all its lines carry the same. */
  readonly erasureId: ErasureId;
  readonly reason: ErasureReason;
  readonly basis: ErasureBasis;
  readonly scope: ErasureScopeKind;
  /** Internal id of what is erased; the subject's own for a whole subject. UUID. */
  readonly target: string;
  readonly subject: SubjectId;
  /** Data key that goes with a whole subject; null for a narrower scope. */
  readonly keyId: KeyId | null;
  /** HMAC of the subject's external id under the tenant's ledger key: an import recognises the person by it. Base64. */
  readonly subjectMac: string;
  /** HMACs of source ids and of normalised contents that mustn't come back, under the same key. Base64. */
  readonly itemMacs: readonly string[];
  /** The same of what claimed a time after it was forgotten: it mustn't come back whatever time it claims. Base64. */
  readonly aheadMacs: readonly string[];
  /** Requests whose kept replies go along: a repeat is refused until the reply would have been forgotten anyway. */
  readonly requests: readonly ForgottenRequest[];
  /** Version of the data key that a rotation makes; null elsewhere. */
  readonly keyVersion: number | null;
  readonly at: Date;
}

/** What a line says of what comes again, and of a new key, where it says nothing of them. */
export const NO_MARKS = {
  itemMacs: [],
  aheadMacs: [],
  requests: [],
  keyVersion: null,
} as const satisfies Partial<LedgerLine>;

/** A line as it stands: numbered from 1 without a gap within its tenant, each MAC covering the one before it. */
export interface LedgerEntry extends LedgerLine {
  readonly tenant: TenantId;
  readonly seq: number;
  /** Hex. */
  readonly mac: string;
}

/** Where a tenant's ledger ends. `seq` 0 and `mac` "" where it has no line yet. */
export interface LedgerHead {
  readonly seq: number;
  readonly mac: string;
}

/** Of a ledger without a line. */
export const NO_HEAD: LedgerHead = Object.freeze({ seq: 0, mac: "" });

/** A tenant's key for the ledger, kept apart from its other keys. */
export interface LedgerKey {
  /** HMAC-SHA256, base64. */
  mac(purpose: "subject" | "source" | "content", text: string): string;
  /** Signs a receipt, base64; the same text always gets the same signature. */
  sign(text: string): string;
}

/** The append-only list of what was erased, in custody: outside of the database and of its backups. */
export interface Ledger {
  /**
   * Durable when it resolves, in order, all of them or none. At most `ledgerLinesMax` lines with `ledgerMacsMax` item
   * MACs each: what has more is several lines, or several appends.
   */
  append(tenant: TenantId, lines: readonly LedgerLine[]): Promise<readonly LedgerEntry[]>;
  /**
   * Lines after `afterSeq` in order, at most `limit` and `ledgerRowsMax`. Throws `unavailable` where the chain is broken,
   * or ends before `afterSeq`; the message names the tenant's id.
   */
  read(tenant: TenantId, afterSeq: number, limit: number): Promise<readonly LedgerEntry[]>;
  head(tenant: TenantId): Promise<LedgerHead>;
  /** Those that have a line. */
  tenants(): Promise<readonly TenantId[]>;
  /** Makes it on first use; throws `unavailable` where it is missing though the tenant has lines. */
  key(tenant: TenantId): Promise<LedgerKey>;
}
