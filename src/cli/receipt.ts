import type { Receipt } from "../services/receipts.js";
import { EXIT, Exit } from "./failure.js";
import type { Io } from "./io.js";
import { showStores } from "./stores.js";
import { timeOf } from "./time.js";

/** Prints the receipt of an erasure. Ends with 1 where a search still finds something. */
export function tellErasure(receipt: Receipt, isJson: boolean | undefined, io: Io): void {
  if (isJson) io.out(JSON.stringify(receipt));
  else showReceipt(receipt, io);
  if (receipt.stores.some(({ found }) => found > 0)) throw new Exit(EXIT.failed);
}

/** A receipt for a person: what was removed, what a search still finds, since when. */
export function showReceipt(receipt: Receipt, io: Io): void {
  showStores(receipt.stores, io);
  const { bytes } = receipt;
  io.out(`erasure ${receipt.erasure_id}: ${receipt.reason}, ${receipt.basis}`);
  io.out(`not retrievable since ${timeOf(receipt.not_retrievable_at)}`);
  io.out(
    bytes.keys_destroyed_at === null
      ? "the person stays, and so does their key"
      : `key destroyed ${timeOf(bytes.keys_destroyed_at)}`,
  );
  io.out(`in the database's files: ${bytes.heap}`);
  io.out(`in its log: ${bytes.wal}`);
  io.out(`in backups: ${bytes.backups}`);
  const kept = receipt.kept.filter(({ rows: count }) => count > 0);
  if (kept.length > 0)
    io.out(
      `stays as a record: ${kept.map(({ name, rows: count }) => `${name} ${count}`).join(", ")}`,
    );
  io.out(`line ${receipt.ledger.seq} of the ledger`);
}
