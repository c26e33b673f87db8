import { readOperatorFile } from "../../config/operator-file.js";
import type { Settings } from "../../config/settings.js";
import { parseIssuers } from "../../policy/issuers.js";
import { type Check, good, looked } from "./check.js";

/** Whether the file of issuers can be read and says what it must. */
export function checkIssuers({ issuersFile }: Settings): Promise<Check> {
  return looked("issuers", async () => {
    if (issuersFile === undefined) return good("issuers", "none: development tokens, on loopback");
    const issuers = parseIssuers(readOperatorFile(issuersFile));
    return good("issuers", issuers.map(({ issuer }) => issuer).join(", "));
  });
}
