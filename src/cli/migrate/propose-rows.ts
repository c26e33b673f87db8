import { type ErrorKind, MunimentError } from "../../domain/errors.js";
import type { FiledReply } from "../../services/filing.js";
import type { TranscriptRow } from "../import/row.js";
import type { BatchReply } from "../import/upload.js";

/** Says of the row alone that it can't be; another kind says that nothing more can be sent. */
const OF_A_ROW: readonly ErrorKind[] = [
  "invalid_input",
  "denied",
  "credential_in_text",
  "scope_in_input",
  "too_large",
  "version_conflict",
  "erased",
];

/** Proposes one value for a field of one subject. */
export type Propose = (
  subject: string,
  row: TranscriptRow["row"],
) => Promise<Pick<FiledReply, "filed">>;

/** Proposes one row after the other. One that is refused doesn't stop the others. */
export async function proposeRows(
  rows: readonly TranscriptRow["row"][],
  propose: (row: TranscriptRow["row"]) => Promise<Pick<FiledReply, "filed">>,
): Promise<BatchReply> {
  const replies: BatchReply["rows"][number][] = [];
  for (const [index, row] of rows.entries()) {
    try {
      const { filed } = await propose(row);
      replies.push({ index, status: filed ? "imported" : "duplicate" });
    } catch (error) {
      if (!(error instanceof MunimentError) || !OF_A_ROW.includes(error.kind)) throw error;
      const { kind, field = null, message } = error;
      const status = kind === "erased" ? "skipped" : "refused";
      replies.push({ index, status, refusal: { kind, field, message } });
    }
  }
  const count = (status: string) => replies.filter((reply) => reply.status === status).length;
  return { imported: count("imported"), duplicates: count("duplicate"), rows: replies };
}
