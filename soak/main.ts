import { soakErasures } from "./erasures.js";
import { soakFullDisk } from "./full-disk.js";
import { soakJobKills } from "./job-kills.js";
import { soakKills } from "./kills.js";
import { soakRestores } from "./restores.js";
import { soakRotationKills } from "./rotation-kills.js";

const USAGE = [
  "usage: npm run -s soak -- restores [rounds] [seed]",
  "       npm run -s soak -- erasures [postgres | pglite] [people] [seed]",
  "       npm run -s soak -- kills",
  "       npm run -s soak -- job-kills [from]",
  "       npm run -s soak -- rotation-kills [step]",
  "       npm run -s soak -- full-disk",
  "",
].join("\n");

/** A small generator whose runs can be repeated by their seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Says what was counted, and fails where one of those that must be nought isn't. */
function tell(counts: object, faults: readonly number[]): void {
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  if (faults.some((count) => count > 0)) process.exitCode = 1;
}

const [what, ...given] = process.argv.slice(2);
const newSeed = String(Date.now() % 1_000_000);
if (what === "restores") {
  const [rounds = "50", seed = newSeed] = given;
  const counts = await soakRestores(Number(rounds), randomOf(Number(seed)), say);
  const { rowsLeft, resurrected, changed } = counts;
  tell({ seed: Number(seed), ...counts }, [rowsLeft, resurrected, changed]);
} else if (what === "erasures") {
  const [kind = "postgres", people = "1000", seed = newSeed] = given;
  if (kind !== "pglite" && kind !== "postgres") throw new Error(USAGE);
  const counts = await soakErasures(kind, Number(people), randomOf(Number(seed)), say);
  const { rowsLeft, found, unverified, changed, seen } = counts;
  const isBlind = seen === 0 ? 1 : 0;
  tell({ seed: Number(seed), ...counts }, [rowsLeft, found, unverified, changed, isBlind]);
} else if (what === "kills") {
  const counts = await soakKills(say);
  const { killed, halfDone, forgotten, unrepeatable } = counts;
  tell(counts, [killed === 0 ? 1 : 0, halfDone, forgotten, unrepeatable]);
} else if (what === "job-kills") {
  const counts = await soakJobKills(Number(given[0] ?? 1), say);
  const { killed, unfinished, miscounted, wrong } = counts;
  tell(counts, [killed === 0 ? 1 : 0, unfinished, miscounted, wrong]);
} else if (what === "rotation-kills") {
  const counts = await soakRotationKills(Number(given[0] ?? 1), say);
  const { killed, changed, unrepeatable } = counts;
  tell(counts, [killed === 0 ? 1 : 0, changed, unrepeatable]);
} else if (what === "full-disk") {
  const counts = await soakFullDisk(say);
  const { lost, halfDone, unrepeatable } = counts;
  tell(counts, [lost, halfDone, unrepeatable]);
} else {
  process.stderr.write(USAGE);
  process.exitCode = 2;
}
