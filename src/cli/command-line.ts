import type { TenantOptions } from "./options.js";
import { plain } from "./table.js";

/** A command to copy, in the same place as the one that was run. */
export function commandLine(
  words: readonly string[],
  { tenant, workspace, dataDir }: TenantOptions,
): string {
  const place = [
    ...["--tenant", tenant],
    ...(workspace === "default" ? [] : ["--workspace", workspace]),
    ...(dataDir === undefined ? [] : ["--data-dir", dataDir]),
  ];
  return ["muniment", ...words, ...place].map(quoted).join(" ");
}

/** One word for a shell. */
function quoted(text: string): string {
  const word = plain(text);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
