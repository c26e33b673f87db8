import { constants, existsSync } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { bad, type Check, good, looked } from "./check.js";

const FREE_BYTES_MIN = 256 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/** Whether the data directory, or the place where it will be made, can be written and has room. */
export function checkDisk(dataDir: string): Promise<Check> {
  return looked("disk", async () => {
    const place = nearest(dataDir);
    const isWritable = await access(place, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (!isWritable) return bad("disk", `${place} can't be written`);
    const { bavail, bsize } = await statfs(place);
    const free = `${Math.floor((bavail * bsize) / MEBIBYTE)} MB free at ${place}`;
    return bavail * bsize < FREE_BYTES_MIN ? bad("disk", `only ${free}`) : good("disk", free);
  });
}

function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}
