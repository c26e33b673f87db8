import type { EraseSubjectReply } from "../services/erase-subject.js";
import type {
  EraseSubjectBody,
  FindTextBody,
  VerifyErasureBody,
} from "../services/erasure-bodies.js";
import type { FindTextReply } from "../services/find-text.js";
import type { ReadErasureReply } from "../services/read-erasure.js";
import type { VerifyErasureReply } from "../services/verify-erasure.js";

/** What is done about forgetting, by those who answer for privacy. */
export interface ErasureOperations {
  /** Forgets a person. Asked again, it answers with the receipt that stands. */
  eraseSubject(subject: string, body: EraseSubjectBody): Promise<EraseSubjectReply>;
  /** How far an erasure is, with its receipt. */
  readErasure(erasureId: string): Promise<ReadErasureReply>;
  /** Searches again for what was erased, and checks a receipt. */
  verifyErasure(erasureId: string, body: VerifyErasureBody): Promise<VerifyErasureReply>;
  /** Where a text stands as it is, among all that is stored. Nothing is opened for it. */
  findText(body: FindTextBody): Promise<FindTextReply>;
}
