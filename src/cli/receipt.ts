import type { Receipt } from "../services/receipts.js";
import type { Io } from "./io.js";
import { table } from "./table.js";

/** A receipt for a person: what was removed, what a search still finds, since when. */
export function showReceipt(receipt: Receipt, io: Io): void {
  const rows = receipt.stores.map(({ name, rows_removed, found }) => [
    name,
    String(rows_removed),
    String(found),
  ]);
  io.out(table(["store", "removed", "found"], rows));
  const { bytes } = receipt;
  io.out(`erasure ${receipt.erasure_id}: ${receipt.reason}, ${receipt.basis}`);
  io.out(`not retrievable since ${receipt.not_retrievable_at}`);
  io.out(`key destroyed at ${bytes.keys_destroyed_at ?? "-"}`);
  io.out(`line ${receipt.ledger.seq} of the ledger`);
}
