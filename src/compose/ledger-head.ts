import { readOperatorFile } from "../config/operator-file.js";
import type { Settings } from "../config/settings.js";
import { compareHeads, parseHeads } from "../custody/ledger-heads.js";
import { MunimentError } from "../domain/errors.js";
import type { Keyring } from "../domain/keyring.js";

/** Refuses a custody that is older than the exported head of the settings, where they name one. */
export async function refuseOlderCustody(
  keyring: Keyring,
  { ledgerHeadFile }: Settings,
): Promise<void> {
  if (ledgerHeadFile === undefined) return;
  const [first] = await compareHeads(keyring, parseHeads(readOperatorFile(ledgerHeadFile)));
  if (first === undefined) return;
  const { tenant_id, finding } = first;
  throw new MunimentError(
    "unavailable",
    `the custody is older than the ledger head \`${ledgerHeadFile}\`: of tenant ${tenant_id}, ${finding}; bring back the latest custody`,
  );
}
