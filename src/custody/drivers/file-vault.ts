import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { MunimentError } from "../../domain/errors.js";
import type { CustodyContent, TenantLine, Vault } from "../content.js";
import { syncDirectory } from "../durable-file.js";
import { keyOf, recordOf } from "../key-record.js";
import { holdDirectory } from "./exclusive.js";
import { pathsOf } from "./file.js";
import { keyLogLines, parseKeyLog } from "./key-log.js";
import { ledgerLines, readLedger } from "./ledger-log.js";
import { readLogFile, replaceLog } from "./log-file.js";

/** The custody in the directory `dir`, as its operator handles it. */
export function fileVault(dir: string): Vault {
  return {
    read: () => read(dir),
    write: (content) => held(dir, () => write(dir, content)),
    rewrap: (rewrap) =>
      held(dir, async () => {
        const content = await read(dir);
        if (content === null)
          throw new MunimentError("unavailable", `there is no custody in \`${dir}\``);
        await replaceKeys(dir, rewrap(content));
      }),
  };
}

async function held<R>(dir: string, body: () => Promise<R>): Promise<R> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const release = await holdDirectory(dir);
  try {
    return await body();
  } finally {
    await release();
  }
}

/**
 * Beside a service that uses it: both files are whole at each moment. The ledger comes first, since a key is destroyed
 * after its line: an erasure that is under way is then in the ledger, or its key isn't destroyed yet.
 */
async function read(dir: string): Promise<CustodyContent | null> {
  const paths = pathsOf(dir);
  const lines: TenantLine[] = [];
  await readLogFile(paths.ledger, (bytes, path) =>
    readLedger(bytes, path, (record) => lines.push(record)),
  );
  const keyLog = await readLogFile(paths.keys, parseKeyLog);
  return (
    keyLog && {
      custodyId: keyLog.header.custody_id,
      check: Buffer.from(keyLog.header.check, "base64"),
      keys: keyLog.records.map(keyOf),
      lines,
    }
  );
}

async function write(dir: string, content: CustodyContent): Promise<void> {
  const paths = pathsOf(dir);
  const standing = await readLogFile(paths.keys, parseKeyLog);
  const lines = await readLogFile(paths.ledger, (bytes) => bytes.length);
  if (standing !== null || lines)
    throw new MunimentError("invalid_input", `\`${dir}\` has a custody: move it away first`);
  const header = { format: 1, custody_id: content.custodyId } as const;
  await replaceLog(paths.ledger, ledgerLines(header, content.lines));
  await replaceKeys(dir, content);
  await syncDirectory(dirname(dir));
}

async function replaceKeys(dir: string, { custodyId, check, keys }: CustodyContent): Promise<void> {
  const header = {
    format: 3,
    custody_id: custodyId,
    check: Buffer.from(check).toString("base64"),
  } as const;
  await replaceLog(pathsOf(dir).keys, keyLogLines(header, keys.map(recordOf)));
}
