import type { NarrowScope } from "../domain/erasure.js";
import type { EraseScopeReply } from "../services/erase-scope.js";
import type { EraseSubjectReply } from "../services/erase-subject.js";
import type {
  EraseScopeBody,
  EraseSubjectBody,
  FindTextBody,
  ListHoldsQuery,
  PlaceHoldBody,
  RotateKeyBody,
  VerifyErasureBody,
} from "../services/erasure-bodies.js";
import type { FindTextReply } from "../services/find-text.js";
import type { ListHoldsReply } from "../services/list-holds.js";
import type { PlaceHoldReply } from "../services/place-hold.js";
import type { ReadErasureReply } from "../services/read-erasure.js";
import type { ReleaseHoldReply } from "../services/release-hold.js";
import type { RotateKeyReply } from "../services/rotate-key.js";
import type { VerifyErasureReply } from "../services/verify-erasure.js";

/** What is done about forgetting, by those who answer for privacy. */
export interface ErasureOperations {
  /** Forgets a person. Asked again, it answers with the receipt that stands. */
  eraseSubject(subject: string, body: EraseSubjectBody): Promise<EraseSubjectReply>;
  /** Forgets something of a person who stays, with what derives from it alone. */
  eraseScope(subject: string, scope: NarrowScope, body: EraseScopeBody): Promise<EraseScopeReply>;
  /** Forbids to forget a person, or something of them. */
  placeHold(subject: string, body: PlaceHoldBody): Promise<PlaceHoldReply>;
  /** Ends a hold. */
  releaseHold(holdId: string): Promise<ReleaseHoldReply>;
  /** Holds that stand. */
  listHolds(query: ListHoldsQuery): Promise<ListHoldsReply>;
  /** Gives a person a new data key. While it answers `sealing`, asking again goes on. */
  rotateKey(subject: string, body: RotateKeyBody): Promise<RotateKeyReply>;
  /** How far an erasure is, with its receipt. */
  readErasure(erasureId: string): Promise<ReadErasureReply>;
  /** Searches again for what was erased, and checks a receipt. */
  verifyErasure(erasureId: string, body: VerifyErasureBody): Promise<VerifyErasureReply>;
  /** Where a text stands as it is, among all that is stored. Nothing is opened for it. */
  findText(body: FindTextBody): Promise<FindTextReply>;
}
