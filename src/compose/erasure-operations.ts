import type { EraseSubjectReply } from "../services/erase-subject.js";
import type { EraseSubjectBody } from "../services/erasure-bodies.js";
import type { ReadErasureReply } from "../services/read-erasure.js";

/** What is done about forgetting, by those who answer for privacy. */
export interface ErasureOperations {
  /** Forgets a person. Asked again, it answers with the receipt that stands. */
  eraseSubject(subject: string, body: EraseSubjectBody): Promise<EraseSubjectReply>;
  /** How far an erasure is, with its receipt. */
  readErasure(erasureId: string): Promise<ReadErasureReply>;
}
